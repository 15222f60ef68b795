// The family tree: a tree to walk through, and beside it the chosen model: its blocks with what its parent does not
// have, the differences in words, its costs, a run.

import { button, heading, radioRow, select } from "../_kit/controls.js";
import { announce, element, focusable, setAttributes } from "../_kit/elements.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";
import { differing, lengthSlider } from "../_kit/taxonomy.js";
import { onTheme } from "../_kit/theme.js";
import { familyDrawing } from "./drawing.js";
import { modelPanels, runPanels } from "./panels.js";

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("family-tree");
  const models = model.get("models"),
    byName = new Map(models.map((each) => [each.name, each]));
  const chosen = () => byName.get(model.get("chosen")) ?? models[0];
  const asked = { running: false };
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      asked.running = on;
      drawRun();
    },
    onAnswer: () => announce(root, `${chosen().name} ran.`),
  });
  const tree = familyDrawing({
    models,
    signal,
    onChoose: (to, focus) => {
      change(model, { chosen: to });
      if (focus) tree.focus(to);
      announce(root, summary());
    },
  });
  const lengths = lengthSlider({ value: model.get("length"), signal, onLength: (length) => change(model, { length }) });
  const go = button({ label: "Run it", primary: true, signal, onClick: () => questions.ask({ name: chosen().name }) });
  const which = select({ label: "Layer", options: [], signal, onChange: () => drawMap() });
  const head = select({ label: "Head", options: [], signal, onChange: () => drawMap() });
  const { drawRun, drawMap, runPanel } = runPanels({ root, model, questions, go, which, head, chosen, asked });
  const { name, about, panels, drawAbout, drawDifferences, drawCosts } = modelPanels({
    model,
    lengths,
    chosen,
    byName,
  });
  const pages = { ...panels, run: runPanel };
  const pick = radioRow({
    label: "Show",
    choices: { blocks: "Blocks", parts: "Parts", costs: "Costs", run: "At work" },
    signal,
    onChoose: (to) => turnTo(to),
  });
  pick.node.classList.add("ft-pick");
  const page = element("div", focusable({ class: "ft-page scroll", role: "group" }), Object.values(pages));
  const card = element("div", { class: "panel ft-card" }, name, pick.node, page, about);
  root.append(heading(model.get("label")), element("div", { class: "ft-body" }, tree.node, card));

  function turnTo(to) {
    pick.set(to);
    for (const [each, node] of Object.entries(pages)) node.hidden = each !== to;
    setAttributes(page, { "aria-label": `${chosen().name}: ${to === "run" ? "at work" : to}` });
    page.scrollTop = 0;
  }

  function summary() {
    const each = chosen(),
      parent = byName.get(each.parent);
    if (!each.parts.length) return `${each.name}, ${each.year}: described, not built here.`;
    const count = parent?.parts.length ? `${differing(each, parent, true).size} parts differ from ${parent.name}.` : "";
    return `${each.name}, ${each.year}: ${each.change}. ${count}`;
  }

  function drawAll() {
    tree.draw(chosen().name);
    drawAbout();
    pick.node.hidden = page.hidden = !chosen().parts.length;
    if (chosen().parts.length) {
      drawDifferences();
      drawCosts();
    }
    drawRun();
    page.scrollTop = 0;
  }
  const redraw = frame(drawAll, signal);
  onChange(model, signal, ["chosen", "runs"], redraw);
  onChange(model, signal, "length", frame(drawCosts, signal));
  onTheme(root, signal, drawMap);
  onWidth(runPanel, signal, drawMap);
  turnTo("blocks");
  drawAll();
  return cleanup;
}

export default { render };
