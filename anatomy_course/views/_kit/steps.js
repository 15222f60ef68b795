// Going through numbered steps: Back, Next and Play, and where there are few steps, a row of buttons with their names.

import { button, toggleButton } from "./controls.js";
import { element, setAttributes } from "./elements.js";
import { clamp } from "./format.js";

// Back, Next and Play through `count` steps. `go(step, byHand)` is asked for a step from 0 on, `tell(step)` hears
// which one it is; `pause()` ends the playing, as every step by hand does.
export function walkControls({ count, pause: milliseconds, signal, go }) {
  let step = 0;
  let timer = 0;
  const last = count - 1;
  const walk = (to, byHand) => {
    step = clamp(to, 0, last); // at once: what `tell` hears may come with the next frame only
    go(step, byHand);
  };
  const jump = (to) => {
    pause();
    walk(to, true);
  };
  const back = button({ label: "← Back", name: "Back", signal, onClick: () => jump(step - 1) });
  const next = button({ label: "Next →", name: "Next", primary: true, signal, onClick: () => jump(step + 1) });
  const play = toggleButton({ label: "Play", look: "play", signal, onToggle: (on) => (on ? start() : pause()) });

  function start() {
    clearInterval(timer);
    if (step === last) walk(0, false);
    timer = setInterval(() => {
      walk(step + 1, false);
      if (step === last) pause();
    }, milliseconds);
  }

  function pause() {
    clearInterval(timer);
    play.set(false);
  }

  function tell(to) {
    step = to;
    back.disabled = step === 0;
    next.disabled = step === last;
  }

  signal.addEventListener("abort", () => clearInterval(timer));
  return { back, next, play: play.node, jump, pause, tell };
}

// The same with a button for each of the steps in `names`; `rename(names)` gives them other names.
export function stepControls({ names, signal, class: look = "", ...rest }) {
  const walk = walkControls({ count: names.length, signal, ...rest });
  const buttons = names.map((_, i) => button({ label: "", signal, onClick: () => walk.jump(i) }));
  const rename = (list) => {
    list.forEach((name, i) => {
      buttons[i].setAttribute("aria-label", `Step ${i + 1} ${name}`);
      buttons[i].replaceChildren(element("b", { text: i + 1 }), " ", element("span", { text: name }));
    });
  };
  const tell = (step) => {
    walk.tell(step);
    buttons.forEach((node, i) => {
      setAttributes(node, { "aria-current": i === step ? "step" : null });
      node.classList.toggle("done", i < step);
    });
  };
  const items = buttons.map((node) => element("li", {}, node));
  const list = element("ol", { class: `steps ${look}`.trim(), "aria-label": "Steps" }, items);
  rename(names);
  return { ...walk, list, rename, tell };
}
