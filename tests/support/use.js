// Finds what a view can be used by, and uses what needs no keyboard. `look_at_site.py` puts this into the page.

(() => {
  const BUTTONS =
    "button, summary, input[type=checkbox], input[type=radio], [role=radio], [role=option], [role=gridcell], " +
    "[role=tab], [role=treeitem], [role=button], [role=switch]";
  const [OF_A_KIND, OPTIONS, PAUSE] = [8, 6, 30];
  const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest("[inert]");
  const all = (root, selector) => [...root.querySelectorAll(selector)].filter((node) => shown(node) && !node.disabled);
  const kindOf = (node) =>
    [node.tagName, node.type, node.getAttribute("role"), node.getAttribute("class")?.split(" ")[0]].join();
  const nameOf = (node) => node.getAttribute("aria-label") || node.labels?.[0]?.textContent || node.textContent || "";
  const wait = () => new Promise((done) => setTimeout(done, PAUSE));
  const event = (node, ...names) => names.forEach((name) => node.dispatchEvent(new Event(name, { bubbles: true })));

  // Counts what changes in a view while it is used, and notes what the page says that it cannot do.
  function watch(root) {
    root.changes = 0;
    root.refused = [];
    const observer = new MutationObserver((records) => {
      root.changes += records.length;
      const told = [...root.querySelectorAll(".error")].map((node) => node.textContent);
      root.refused.push(...told.filter((text) => text.startsWith("This page")));
    });
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  }

  // The controls for a real mouse and real keys: the first button of each kind, every slider, every field.
  function controls(root) {
    const firsts = new Map(
      all(root, BUTTONS)
        .map((node) => [kindOf(node), node])
        .reverse(),
    );
    return {
      buttons: [...firsts.values()].reverse(),
      sliders: all(root, "input[type=range], [role=slider]"),
      fields: all(root, "input:not([type=range], [type=radio], [type=checkbox]), textarea"),
      canvases: all(root, "canvas, svg"),
    };
  }

  // Clicks every button, or a few that are spread over many of one kind, and chooses options; how often it did.
  async function useAll(root) {
    const done = new Map();
    const next = () => {
      const kinds = Map.groupBy(all(root, BUTTONS), kindOf);
      for (const [kind, nodes] of kinds) {
        const used = done.get(kind) ?? new Set();
        const some = nodes.filter((_, i) => i % Math.ceil(nodes.length / OF_A_KIND) === 0);
        const node = some.find((each) => !used.has(nameOf(each)));
        if (!node || used.size >= 2 * OF_A_KIND) continue;
        done.set(kind, used.add(nameOf(node)));
        return node;
      }
      return null;
    };
    let count = 0;
    for (let node = next(); node; node = next()) {
      node.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      count += 1;
      await wait();
    }
    for (let i = 0; i < all(root, "select").length; i += 1) {
      const length = all(root, "select")[i].options.length;
      for (let option = 0; option < length; option += Math.ceil(length / OPTIONS)) {
        const node = all(root, "select")[i];
        if (!node) break;
        node.selectedIndex = option;
        event(node, "input", "change");
        count += 1;
        await wait();
      }
    }
    return count;
  }

  window.use = { watch, controls, useAll };
})();
