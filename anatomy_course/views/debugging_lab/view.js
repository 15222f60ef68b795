// The debugging lab: beds as tabs; what can be seen and asked of the patient that is looked at, beside its diagnosis.

import { choiceForm, verdict } from "../_kit/choices.js";
import { button, heading, radioRow } from "../_kit/controls.js";
import { announce, element, focusable, listen, prose, setAttributes, uniqueId } from "../_kit/elements.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";
import { sameRoom } from "../_kit/same_room.js";
import { onTheme } from "../_kit/theme.js";
import { bedPages, PAGES } from "./bed.js";

const STATES = { new: ["", "not examined"], examined: ["• ", "examined"], diagnosed: ["✓ ", "diagnosed"] };

// The diagnoses of all beds in one room: {node, show(bed), tell(bed, choice), enable(bed, on)}.
function diagnoses({ root, beds, signal, onChosen, onCure }) {
  const parts = beds.map(({ name, question }, i) => {
    const { choices } = question;
    const form = choiceForm({
      root,
      text: question.text,
      choices,
      check: "Make this diagnosis",
      signal,
      judge: (choice) => verdict(choices[choice]),
      onChosen: (choice) => onChosen(i, choice),
    });
    const cure = button({ label: `Cure ${name}`, signal, onClick: onCure });
    cure.classList.add("wd-cure");
    form.node.querySelector(".row").append(cure);
    // room for the longest answer, so that none makes the view higher
    const longest = choices.map((each) => verdict(each)[1]).sort((a, b) => b.length - a.length)[0];
    const room = element(
      "div",
      { class: "away", "aria-hidden": "true" },
      element("p", { class: "wrong", text: longest }),
    );
    const coming = element("p", {
      class: "to-come",
      text: "What speaks for your diagnosis or against it is said here.",
    });
    form.node.append(
      element("div", { class: "same-room wd-answer" }, coming, form.node.querySelector(".answer"), room),
    );
    return { form, cure };
  });
  const room = sameRoom(parts.map(({ form }) => form.node));
  return {
    node: room.node,
    show: (bed) => {
      room.show(bed);
      parts.forEach(({ form }, i) => setAttributes(form.node, { inert: i !== bed }));
    },
    tell: (bed, choice) => parts[bed].form.show(choice),
    enable: (bed, on) => {
      parts[bed].cure.disabled = !on;
      setAttributes(parts[bed].cure, { title: on ? null : "Find the right diagnosis first" });
      parts[bed].cure.classList.toggle("primary", on);
    },
  };
}

// The beds as tabs: {node, tabs}; `choose(i)` is told which one.
function bedTabs({ beds, signal, id, choose }) {
  const tabs = beds.map(({ name }, i) => {
    const node = button({
      signal,
      onClick: () => choose(i),
      label: [
        element("span", { class: "visually-hidden", text: "Bed " }),
        element("span", { class: "wd-number", text: i + 1 }),
        element("b", { text: name }),
        element("span", { class: "wd-state" }),
      ],
    });
    setAttributes(node, { role: "tab", id: `${id}-${i}`, "aria-controls": `${id}-panel` });
    node.className = "wd-bed";
    listen(node, "keydown", signal, (event) => {
      const to = {
        ArrowRight: i + 1,
        ArrowDown: i + 1,
        ArrowLeft: i - 1,
        ArrowUp: i - 1,
        Home: 0,
        End: beds.length - 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = (to + beds.length) % beds.length;
      choose(next);
      tabs[next].focus();
    });
    return node;
  });
  const node = element("div", { class: "wd-beds", role: "tablist", "aria-label": "Beds" }, tabs);
  return { node, tabs };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("ward");
  const beds = model.get("beds");
  const id = uniqueId("ward");
  const kept = { busy: false, bed: -1, page: "loss", chosen: beds.map(() => -1) };
  let pages = null;

  const { ask, line } = request({
    model,
    signal,
    onBusy: (on) => {
      kept.busy = on;
      panel.setAttribute("aria-busy", String(on));
      enable();
    },
    onAnswer: () => {
      update();
      if (!kept.busy) announce(root, spoken()); // else something else is asked already
    },
  });
  const send = (question) => {
    if (!kept.busy) ask({ bed: model.get("bed"), ...question });
  };

  function spoken() {
    const asked = model.get("question");
    if (asked.do === "probe") return model.get("findings")[asked.bed][asked.probe].sentence;
    if (asked.do === "write") return "New samples.";
    return `${beds[asked.bed].name} is cured: every probe has been run again.`;
  }

  const stateOf = (i) => {
    const right = beds[i].question.choices[model.get("chosen")[i]]?.right;
    return right ? "diagnosed" : model.get("examined")[i] || model.get("chosen")[i] >= 0 ? "examined" : "new";
  };

  const { node: list, tabs } = bedTabs({ beds, signal, id, choose });
  const told = sameRoom(
    beds.map(({ anamnesis }) => element("p", {}, prose(anamnesis))),
    { class: "wd-anamnesis" },
  );
  const pick = radioRow({ label: "Show", choices: PAGES, signal, onChoose: turnTo });
  pick.node.classList.add("wd-pick");
  const page = element("div", focusable({ class: "wd-page scroll", role: "group" }));
  const { node: forms, ...diagnosis } = diagnoses({
    root,
    beds,
    signal,
    onChosen: (bed, choice) => {
      change(model, { chosen: model.get("chosen").map((old, i) => (i === bed ? choice : old)) });
      update();
    },
    onCure: () => {
      turnTo("probes");
      send({ do: "cure" });
    },
  });
  const panel = element(
    "div",
    { role: "tabpanel", id: `${id}-panel` },
    told.node,
    element(
      "div",
      { class: "wd-body" },
      element("section", { class: "panel", "aria-label": "Examination" }, pick.node, page, line),
      element("section", { class: "panel wd-diagnosis", "aria-label": "Diagnosis" }, forms),
    ),
  );
  const counted = element("span", { class: "note" });
  root.append(heading(model.get("label"), counted), list, panel);

  function choose(i) {
    if (kept.busy) return;
    change(model, { bed: i });
    update();
  }

  function turnTo(to) {
    kept.page = to;
    pick.set(to);
    for (const [name, node] of Object.entries(pages.nodes)) node.hidden = name !== to;
    setAttributes(page, { "aria-label": `${beds[kept.bed].name}: ${PAGES[to]}` });
    page.scrollTop = 0;
  }

  function enable() {
    for (const node of page.querySelectorAll(".wd-asks")) node.disabled = kept.busy;
    beds.forEach((_, i) => diagnosis.enable(i, !kept.busy && stateOf(i) === "diagnosed"));
  }

  // The pages of another bed; what is looked at stays the same.
  function build(bed) {
    kept.bed = bed;
    pages?.life.abort();
    pages = bedPages({ root, model, signal, bed, send });
    page.replaceChildren(...Object.values(pages.nodes));
    told.show(bed);
    diagnosis.show(bed);
  }

  function update() {
    const now = model.get("bed");
    const another = kept.bed !== now;
    if (another) build(now);
    pick.nodes[Object.keys(PAGES).indexOf("public")].disabled = stateOf(now) !== "diagnosed";
    if (another) turnTo(kept.page === "public" && stateOf(now) !== "diagnosed" ? "loss" : kept.page);
    tabs.forEach((tab, i) => {
      setAttributes(tab, { "aria-selected": String(i === now), tabindex: i === now ? 0 : -1 });
      tab.dataset.state = stateOf(i);
      tab.querySelector(".wd-state").textContent = STATES[stateOf(i)].join("");
    });
    panel.setAttribute("aria-labelledby", `${id}-${now}`);
    counted.textContent = `${beds.filter((_, i) => stateOf(i) === "diagnosed").length} of ${beds.length} diagnosed`;
    model.get("chosen").forEach((choice, i) => {
      if (choice !== kept.chosen[i]) diagnosis.tell(i, choice); // not what is only ticked
      kept.chosen[i] = choice;
    });
    enable();
    pages.draw();
  }

  onTheme(root, signal, update);
  onChange(model, signal, ["bed", "samples", "findings", "cures", "chosen", "examined"], frame(update, signal));
  update();
  return cleanup;
}

export default { render };
