// Going through numbered steps: a row of step buttons, Back, Next and Play.

// `names` are the steps' names; `go(step)` is asked for a step from 0 on, `tell(step)` shows which one it is.
function stepControls({ names, pause: milliseconds, signal, go }) {
  let step = 0;
  let timer = 0;
  const last = names.length - 1;
  const jump = (to) => {
    pause();
    go(clamp(to, 0, last));
  };
  const buttons = names.map((name, i) => {
    const node = button({ label: "", name: `Step ${i + 1} ${name}`, signal, onClick: () => jump(i) });
    node.append(element("b", { text: i + 1 }), " ", element("span", { text: name }));
    return node;
  });
  const back = button({ label: "◀ Back", name: "Back", signal, onClick: () => jump(step - 1) });
  const next = button({ label: "Next ▶", name: "Next", primary: true, signal, onClick: () => jump(step + 1) });
  const play = toggleButton({ label: "Play", signal, onToggle: (on) => (on ? start() : pause()) });

  function start() {
    clearInterval(timer);
    if (step === last) go(0);
    timer = setInterval(() => {
      go(step + 1);
      if (step === last) pause();
    }, milliseconds);
  }

  function pause() {
    clearInterval(timer);
    play.set(false);
  }

  function tell(to) {
    step = to;
    buttons.forEach((node, i) => {
      setAttributes(node, { "aria-current": i === step ? "step" : null });
      node.classList.toggle("done", i < step);
    });
    back.disabled = step === 0;
    next.disabled = step === last;
  }

  signal.addEventListener("abort", () => clearInterval(timer));
  const list = element("ol", { class: "steps", "aria-label": "Steps" }, buttons.map((node) => element("li", {}, node)));
  return { list, back, next, play: play.node, tell };
}
