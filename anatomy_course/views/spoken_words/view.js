// Spoken words: a wave, the moments that cross-attention looked at for the chosen word, and the words to be heard.

import { button, heading, toggleButton } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, svg, word } from "../_kit/elements.js";
import { bytes, clamp, floats, format } from "../_kit/format.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";

const HIGH = 132; // pixels of the wave
const BAND = 18; // of the moments above it

// The sound of a .wav file: {from(start, end), stop(), at()}; it tells when it stops by itself.
function player(file, signal, onEnd) {
  const address = URL.createObjectURL(new Blob([file], { type: "audio/wav" }));
  const audio = new Audio(address);
  let until = Infinity;
  const stop = () => audio.pause();
  const check = () => {
    if (audio.currentTime >= until) stop();
    return !audio.paused;
  };
  listen(audio, ["pause", "ended"], signal, onEnd);
  signal.addEventListener("abort", () => {
    stop();
    URL.revokeObjectURL(address);
  });
  return {
    from(start, end = Infinity) {
      until = end;
      audio.currentTime = start;
      audio.play().catch(onEnd); // a page that may not make a sound
    },
    stop,
    check,
    at: () => audio.currentTime,
  };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("sw");
  const [words, begins, seconds] = ["words", "begins", "seconds"].map((name) => model.get(name));
  const [peaks, looked, file] = [floats(model.get("peaks")), bytes(model.get("looked")), model.get("sound")];
  const moments = looked.length / words.length;
  const end = (i) => begins[i + 1] ?? seconds;
  let [chosen, wide] = [model.get("word"), 0];
  const x = (time) => (time / seconds) * wide;

  const chart = svg("svg", { class: "sw-chart", role: "img", style: { height: `${HIGH}px` } });
  const line = svg("path", { class: "sw-now", d: "" });
  const sound = player(file, signal, () => {
    all.set(false);
    follow();
  });
  const all = toggleButton({ label: "Play", look: "play", signal, onToggle: (on) => (on ? hear(0) : sound.stop()) });
  const buttons = words.map((text, i) => {
    const node = button({ label: "", signal, onClick: () => choose(i, true) });
    node.append(word(text));
    return node;
  });
  const told = element("p", { class: "note" });
  root.append(
    heading(model.get("label"), all.node),
    chart,
    element("div", { class: "row sw-words", role: "group", "aria-label": "Words" }, buttons),
    told,
  );

  function hear(start, stop) {
    sound.from(start, stop);
    follow();
  }
  const follow = frame(() => {
    const on = sound.check();
    const at = sound.at();
    line.setAttribute("d", on ? `M${x(at)} ${BAND}V${HIGH}` : "");
    if (!on) return;
    if (all.get())
      choose(
        Math.max(
          0,
          begins.findLastIndex((begin) => begin <= at),
        ),
        false,
      );
    follow();
  }, signal);

  function choose(i, aloud) {
    if (aloud) {
      all.set(false);
      hear(begins[i], end(i));
      announce(root, `${words[i]}, from ${format(begins[i])} seconds`);
    }
    if (i === chosen) return;
    chosen = i;
    change(model, { word: i });
    draw();
  }
  listen(chart, "click", signal, (event) => {
    const at = ((event.clientX - chart.getBoundingClientRect().left) / wide) * seconds;
    choose(
      clamp(
        begins.findLastIndex((begin) => begin <= at),
        0,
        words.length - 1,
      ),
      true,
    );
  });

  function draw() {
    if (!wide) return;
    const middle = BAND + (HIGH - BAND) / 2;
    const tall = (HIGH - BAND) / 2 - 2;
    const columns = peaks.length / 2;
    const wave = Array.from({ length: columns }, (_, i) => {
      const across = ((i + 0.5) / columns) * wide;
      return `M${across} ${middle - peaks[2 * i + 1] * tall}V${middle - peaks[2 * i] * tall + 0.5}`;
    });
    const shades = Array.from({ length: moments }, (_, k) =>
      svg("rect", {
        class: "sw-look",
        x: (k / moments) * wide,
        y: 0,
        width: wide / moments + 0.5,
        height: BAND - 4,
        "fill-opacity": looked[chosen * moments + k] / 255,
      }),
    );
    chart.replaceChildren(
      svg("rect", {
        class: "sw-word",
        x: x(begins[chosen]),
        y: BAND,
        width: Math.max(1, x(end(chosen)) - x(begins[chosen])),
        height: HIGH - BAND,
      }),
      ...shades,
      svg("path", { class: "sw-wave", d: wave.join("") }),
      ...begins.map((begin) => svg("path", { class: "sw-begin", d: `M${x(begin)} ${BAND}v8` })),
      line,
    );
    const span = `from ${format(begins[chosen])} to ${format(end(chosen))} seconds`;
    setAttributes(chart, {
      "aria-label": `A sound of ${format(seconds, 1)} seconds. “${words[chosen]}” is heard ${span}.`,
    });
    buttons.forEach((node, i) => node.setAttribute("aria-pressed", String(i === chosen)));
    told.textContent = `“${words[chosen]}” ${span}. Above the wave: where cross-attention looked as it was written.`;
  }
  onWidth(chart, signal, (now) => {
    wide = now;
    draw();
  });
  onChange(model, signal, ["word"], () => {
    chosen = model.get("word");
    draw();
  });
  draw();
  return cleanup;
}

export default { render };
