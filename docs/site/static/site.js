// The live views of a page without a kernel. Each is loaded when the reader comes near it, gets a stand-in for the
// notebook's model, and is told at once when it asks for what only Python can compute.

const NEAR = "600px";
const SETTLED = 3000; // milliseconds until a view has built all that it shows later
const NO_KERNEL = "This page has no kernel to compute that: run the notebook, as the line above says.";
const RECORDED_ONLY = "This page has recorded answers only, and none for that: run the notebook to compute it.";

const anatomyViews = { data: {}, widgets: {}, mounted: 0 };
window.anatomyViews = anatomyViews;

// ---- the theme

// Tells views and pictures whether the page is dark; they know JupyterLab's word for it.
function tellTheme() {
  const chosen = document.body.dataset.theme;
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.body.setAttribute("data-jp-theme-light", String(!dark));
}

// ---- what scrolls

// Whatever is wider than its frame can be reached by Tab, and then scrolled with the arrow keys.
function reachScrolling() {
  for (const node of document.querySelectorAll("article :is(pre, .table-wrapper, .formula, .output.text_html)")) {
    if (node.closest(".anatomy")) continue;
    if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
    else node.removeAttribute("tabindex");
  }
}

// ---- loading

const scripts = new Map();
const base = new URL(".", document.currentScript.src);

function script(path) {
  if (!scripts.has(path)) {
    const loaded = new Promise((done, failed) => {
      const node = document.createElement("script");
      Object.assign(node, { src: new URL(path, base).href, onload: done, onerror: () => failed(new Error(path)) });
      document.head.append(node);
    });
    scripts.set(path, loaded);
  }
  return scripts.get(path);
}

function rawBytes(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function revive(key, value) {
  return value && value.$bytes !== undefined ? new DataView(rawBytes(value.$bytes).buffer) : value;
}

async function unpack(base64) {
  const stream = new Blob([rawBytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text(), revive);
}

// ---- the model

// Whether a recorded question is the one that was asked; the page may add words of its own to it.
function same(recorded, asked) {
  return Object.keys(recorded).every((name) => recorded[name] === asked[name]);
}

// The traits with the items of one bed in place of what they held, or beside what it has found already.
function withItems(state, { question, items }) {
  const changed = Object.entries(items).map(([name, item]) => {
    const whole = typeof item === "object" ? { ...state[name][question.bed], ...item } : item;
    return [name, state[name].with(question.bed, whole)];
  });
  return Object.fromEntries(changed);
}

// A view's traits as the page's address names them: "?view=06-050-0&first=BERT&length=512"; names that it lacks count for
// nothing.
function fromAddress(view, state) {
  const asked = new URLSearchParams(location.search);
  if (asked.get("view") !== view) return {};
  const named = [...asked].filter(([name]) => ["string", "number"].includes(typeof state[name]));
  return Object.fromEntries(
    named.map(([name, text]) => [name, typeof state[name] === "number" ? Number(text) || state[name] : text]),
  );
}

// What a view sees of Python: its traits, and an answer to each question; and the address at which it begins as it is.
function makeModel({ state, answers }, view) {
  const listeners = new Map();
  const changed = new Set();
  const tell = (event, ...details) => [...(listeners.get(event) ?? [])].forEach((callback) => callback(...details));
  // As Backbone does: everything is set before anybody hears of it.
  function setAll(traits) {
    const news = Object.entries(traits).filter(([name, value]) => state[name] !== value);
    for (const [name, value] of news) {
      state[name] = value;
      changed.add(name);
    }
    for (const [name, value] of news) tell(`change:${name}`, model, value);
    if (news.length) tell("change", model);
  }
  const model = {
    get: (name) => state[name],
    set: (name, value) => setAll({ [name]: value }),
    save_changes() {
      const asked = changed.has("question");
      changed.clear();
      if (asked) setTimeout(answer);
    },
    on: (event, callback) => listeners.set(event, (listeners.get(event) ?? new Set()).add(callback)),
    off: (event, callback) => (callback ? listeners.get(event)?.delete(callback) : listeners.delete(event)),
    send() {},
    address(names) {
      const chosen = new URLSearchParams([["view", view], ...names.map((name) => [name, state[name]])]);
      return `${location.href.split(/[?#]/)[0]}?${chosen}`;
    },
  };
  function answer() {
    const found = answers.find(({ question }) => same(question, state.question));
    const error = found ? "" : answers.length ? RECORDED_ONLY : NO_KERNEL;
    setAll({ ...found?.traits, ...(found?.items && withItems(state, found)), error, answered: state.question.id });
    changed.clear();
  }
  return model;
}

// ---- links to a heading

const MOVES = ["wheel", "touchmove", "keydown", "pointerdown"];

// What the address names stays at the top until the reader moves: views and pictures above it, which come only when the
// reader is near, take more room than was kept for them.
function stayAtHeading() {
  let heading = null;
  const align = () => heading?.scrollIntoView({ behavior: "instant" });
  const goTo = () => {
    const view = new URLSearchParams(location.search).get("view");
    heading = location.hash
      ? document.getElementById(decodeURIComponent(location.hash.slice(1)))
      : document.querySelector(`.live[data-view="${CSS.escape(view)}"]`);
    for (let folded = heading; (folded = folded?.parentElement?.closest("details"));) folded.open = true;
    align();
  };
  for (const move of MOVES) addEventListener(move, () => (heading = null), { capture: true, passive: true });
  // A press lets the heading go, and the click that follows may be on a link: also on one to where the reader came from.
  addEventListener("click", ({ target }) => {
    const link = target.closest?.("a[href*='#']");
    if (link?.closest(".toc-drawer")) document.getElementById("__toc").checked = false; // on a phone it covers the page
    if (link && link.pathname === location.pathname) setTimeout(goTo);
  });
  addEventListener("hashchange", goTo);
  new ResizeObserver(align).observe(document.querySelector("article") ?? document.body);
  if (location.hash || location.search) goTo();
}

// ---- predictions

// What the text below a covered outcome says of it ("Notice: …", up to an exercise) is covered with it.
function coverNotices() {
  for (const covered of document.querySelectorAll("[data-outcome] details")) {
    const told = [];
    let next = covered.closest(".cell").nextElementSibling;
    if (!next?.textContent.startsWith("Notice:")) continue;
    while (next && !next.matches(".cell, section") && !next.textContent.startsWith("Exercise")) {
      told.push(next);
      next = next.nextElementSibling;
    }
    const show = () => told.forEach((node) => (node.hidden = !covered.open));
    covered.addEventListener("toggle", show);
    show();
  }
}

// ---- mounting

// Buttons for the sentences whose answers are recorded, where the view itself does not offer them.
function recordedSentences(model, answers) {
  const node = document.createElement("div");
  node.className = "recorded";
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", "recorded sentences");
  for (const { question } of answers) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = question.sentence;
    button.addEventListener("click", () => {
      model.set("question", { ...question, id: (model.get("question").id ?? 0) + 1 });
      model.save_changes();
    });
    node.append(button);
  }
  return node;
}

async function mount(place) {
  const { view, widget } = place.dataset;
  await Promise.all([script(`widgets/${widget}.js`), script(`views/${view}.js`)]);
  const data = await unpack(anatomyViews.data[view]);
  delete anatomyViews.data[view];
  const sentences = data.answers.length && data.answers[0].question.sentence && !data.state.examples;
  if (sentences) data.answers.unshift(ownAnswer(data));
  Object.assign(data.state, fromAddress(view, data.state));
  const model = makeModel(data, view);
  const el = document.createElement("div");
  const module = anatomyViews.widgets[widget]();
  await module.initialize?.({ model });
  await module.render({ model, el });
  if (place.dataset.locked) lock(el, place.dataset.locked);
  place.replaceChildren(el);
  if (sentences) place.append(recordedSentences(model, data.answers));
  place.classList.add("mounted");
  setTimeout(() => place.classList.add("settled"), SETTLED);
  anatomyViews.mounted += 1;
}

// Controls that only a kernel can answer cannot be pressed; the line above the view says why.
function lock(el, controls) {
  const all = () => el.querySelectorAll(controls).forEach((node) => (node.inert = true));
  all();
  new MutationObserver(all).observe(el, { childList: true, subtree: true });
}

// The state that a view began with, as the answer to its own first sentence.
function ownAnswer({ state, answers }) {
  const traits = Object.fromEntries(Object.keys(answers[0].traits).map((name) => [name, state[name]]));
  return { question: state.question, traits };
}

function mountWhenNear() {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        mount(target).catch((error) => {
          target.classList.add("failed");
          console.error(`The live view ${target.dataset.view} could not be shown:`, error);
        });
      }
    },
    { rootMargin: NEAR },
  );
  document.querySelectorAll(".live").forEach((place) => observer.observe(place));
}

// The page of search results needs the text of all sections.
function search() {
  if (document.getElementById("search-results")) script("sections.js").then(() => script("search.js"));
}

document.addEventListener("DOMContentLoaded", () => {
  tellTheme();
  search();
  new MutationObserver(tellTheme).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tellTheme);
  coverNotices();
  mountWhenNear();
  stayAtHeading();
  reachScrolling();
  document.fonts.ready.then(reachScrolling);
  window.addEventListener("resize", reachScrolling);
  document.addEventListener("toggle", reachScrolling, { capture: true }); // something was unfolded
});
