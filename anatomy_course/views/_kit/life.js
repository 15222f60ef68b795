// The life of a widget: its root, its traits, frames, motion. Everything ends with its `signal`.

import { element, listen } from "./elements.js";
import { clamp } from "./format.js";
import { markPages } from "./page.js";
import { watchLook } from "./theme.js";

// Turns `el` into a widget: {root, signal, cleanup}. `signal` is aborted at clean-up; give it to every listener.
export function widgetRoot(el, label) {
  const controller = new AbortController();
  const { signal } = controller;
  const live = element("div", { class: "visually-hidden", "aria-live": "polite", "aria-atomic": "true" });
  const root = element("div", { class: "anatomy", role: "group", "aria-label": label }, live);
  root.announcer = live;
  el.append(root);
  listen(root, "keydown", signal, leave);
  watchLook(root, signal);
  markPages();
  const cleanup = () => {
    controller.abort();
    root.remove();
  };
  return { root, signal, cleanup };
}

// Escape leaves a view that has no other use for it: to its cell, whose keys are the notebook's again.
function leave(event) {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  event.target.blur();
  event.currentTarget.closest(".jp-Cell")?.focus();
}

// Calls `callback` whenever one of the model's named traits changes, until clean-up.
export function onChange(model, signal, names, callback) {
  const events = [names].flat().map((name) => `change:${name}`);
  for (const event of events) model.on(event, callback);
  signal.addEventListener("abort", () => events.forEach((event) => model.off(event, callback)));
}

// Sets several of the model's traits and sends them to Python together.
export function change(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}

// Runs `callback` at most once per frame: frame(draw, signal) gives a function to call as often as you like.
export function frame(callback, signal) {
  let handle = 0;
  signal?.addEventListener("abort", () => cancelAnimationFrame(handle));
  return () => {
    if (handle || signal?.aborted) return;
    handle = requestAnimationFrame((time) => {
      handle = 0;
      callback(time);
    });
  };
}

// Calls `draw(width)` when `node` is first laid out and whenever its width changes, so that an SVG is drawn in CSS
// pixels: a viewBox would scale its text.
export function onWidth(node, signal, draw) {
  let [wide, told] = [0, 0];
  const tell = frame(() => {
    if (!wide || wide === told) return;
    told = wide;
    draw(wide);
  }, signal);
  const observer = new ResizeObserver(([entry]) => {
    wide = Math.floor(entry.contentRect.width);
    tell();
  });
  observer.observe(node);
  signal?.addEventListener("abort", () => observer.disconnect());
}

// Runs `callback` at once; asked again before the next frame, it runs once more with that frame.
export function promptly(callback, signal) {
  let ready = true;
  let asked = false;
  const nextFrame = frame(() => {
    const again = asked;
    asked = false;
    if (again) callback();
    ready = true;
  }, signal);
  return () => {
    nextFrame();
    if (!ready || signal?.aborted) asked = true;
    else {
      ready = false;
      callback();
    }
  };
}

// Runs `callback` when the page has nothing else to do; returns what calls it off.
export function whenIdle(callback) {
  if (typeof requestIdleCallback !== "function") {
    const handle = setTimeout(callback, 100);
    return () => clearTimeout(handle);
  }
  const handle = requestIdleCallback(callback);
  return () => cancelIdleCallback(handle);
}

// Whether the reader asked for less motion.
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Moves a list of numbers smoothly: draw(numbers, done) each frame, at once where motion is to be reduced. Returns a
// stop function.
export function tween(from, to, milliseconds, draw, signal) {
  const start = performance.now();
  const still = prefersReducedMotion() || milliseconds <= 0;
  let handle = 0;
  const step = (time) => {
    const part = still ? 1 : clamp((time - start) / milliseconds, 0, 1);
    const eased = part * part * (3 - 2 * part);
    draw(
      from.map((value, i) => value + (to[i] - value) * eased),
      part === 1,
    );
    if (part < 1) handle = requestAnimationFrame(step);
  };
  signal?.addEventListener("abort", () => cancelAnimationFrame(handle));
  if (still) step(start);
  else handle = requestAnimationFrame(step);
  return () => cancelAnimationFrame(handle);
}
