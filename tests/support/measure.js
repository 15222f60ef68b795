// What the eye meets in one view: how large its text is drawn, what is cut off, what lies on what, how high it is.
// `measure.py` puts this into the page as `window.look`.

(() => {
  const SLACK = 1;
  const OVERLAP = 2;
  const CANNOT_BE_READ = ".visually-hidden, option, title, desc, [role=tooltip]";
  const SOLID = "svg, canvas, img, button, input, select, textarea, table, pre";
  const pen = document.createElement("canvas").getContext("2d");
  const short = (text) => {
    const line = text.replace(/\s+/g, " ").trim();
    return line.length > 28 ? `${line.slice(0, 27)}…` : line;
  };
  const shown = (node) =>
    !node.closest(CANNOT_BE_READ) &&
    node.checkVisibility({
      opacityProperty: true,
      visibilityProperty: true,
      checkOpacity: true,
      checkVisibilityCSS: true,
    });
  const box = ({ left, top, right, bottom }) => ({ left, top, right, bottom });
  const both = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  });

  // The element's coordinates in the drawing, as a matrix to the screen; null outside an SVG.
  function matrix(node) {
    const drawn = node instanceof SVGGraphicsElement ? node : node.closest("foreignObject");
    return drawn?.getScreenCTM() ?? null;
  }

  // Below and above the line, smaller than the text they belong to: sub- and superscripts.
  function isScript(node) {
    if (node.closest("sub, sup, math")) return true;
    const part = node.closest("tspan");
    const whole = node.closest("text");
    if (!part || !whole) return false;
    const size = (each) => parseFloat(getComputedStyle(each).fontSize);
    return size(part) < size(whole) && (part.hasAttribute("dy") || getComputedStyle(part).baselineShift !== "0px");
  }

  // Where there is ink, not where the line has room: labels may share the empty part of their lines.
  function ink(node, style, rect, scale) {
    if (style.writingMode !== "horizontal-tb") return box(rect);
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const size = pen.measureText(node.data.trim());
    const [up, down] = [size.fontBoundingBoxAscent, size.fontBoundingBoxDescent];
    const line = rect.top + (up / (up + down)) * rect.height;
    const [top, bottom] = [line - size.actualBoundingBoxAscent * scale, line + size.actualBoundingBoxDescent * scale];
    return { left: rect.left, right: rect.right, top, bottom };
  }

  // The four corners of a turned text.
  function corners(node, { a, b, c, d, e, f }) {
    const { x, y, width, height } = node.getBBox();
    const [top, bottom] = [y + 0.2 * height, y + 0.8 * height];
    const places = [
      [x, top],
      [x + width, top],
      [x + width, bottom],
      [x, bottom],
    ];
    return places.map(([left, down]) => [a * left + c * down + e, b * left + d * down + f]);
  }

  // Everything that can be read: its text, how large it is drawn, where.
  function texts(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (!/[^\s\u200b\u2060\ufeff]/.test(node.data) || parent.closest("style, script, textarea") || !shown(parent))
        continue;
      const style = getComputedStyle(parent);
      const to = matrix(parent);
      const scale = to ? Math.sqrt(Math.abs(to.a * to.d - to.b * to.c)) : 1;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0.5 && height > 0.5);
      if (!rects.length) continue;
      const drawn = parent.closest("text");
      const turned = drawn && to && Math.abs(to.b) + Math.abs(to.c) > 0.01 * scale;
      found.push({
        text: short(node.data),
        parent,
        owner: drawn ?? parent,
        inDrawing: Boolean(drawn),
        script: isScript(parent),
        size: parseFloat(style.fontSize) * scale,
        corners: turned ? corners(drawn, to) : null,
        boxes: rects.map((rect) => (turned ? box(rect) : ink(node, style, rect, scale))),
      });
    }
    return found;
  }

  // The frames around an element, from the inside out: what each hides, and where it can be scrolled.
  function walls(node, root, known) {
    if (known.has(node)) return known.get(node);
    const style = getComputedStyle(node);
    const kinds = [style.overflowX, style.overflowY];
    const around = node === root ? [] : walls(node.parentElement, root, known);
    const scrolls = kinds.some((kind) => kind === "auto" || kind === "scroll");
    const hides = kinds.map((kind) => kind === "hidden" || kind === "clip");
    const free = !scrolls && !hides.includes(true) && node !== root;
    const named = style.textOverflow === "ellipsis" && (node.title || node.ariaLabel || node.closest("[title]"));
    const own = { node, scrolls, hides: named ? [false, hides[1]] : hides, rect: node.getBoundingClientRect() };
    const result = free || (style.display === "inline" && !(node instanceof SVGSVGElement)) ? around : [own, ...around];
    known.set(node, result);
    return result;
  }

  // How far a place reaches out of what is to show it, in pixels, and out of what.
  function outside(place, node, root, known) {
    let seen = place;
    for (const wall of walls(node, root, known)) {
      const { rect } = wall;
      const across = Math.max(rect.left - seen.left, seen.right - rect.right);
      const down = Math.max(rect.top - seen.top, seen.bottom - rect.bottom);
      if (wall.node === root) return Math.max(across, down) > SLACK ? [Math.max(across, down), "the card"] : null;
      if (wall.scrolls) {
        const lost = Math.max(rect.left - wall.node.scrollLeft - seen.left, rect.top - wall.node.scrollTop - seen.top);
        if (lost > SLACK) return [lost, "what can be scrolled"];
        seen = both(seen, rect);
        if (seen.left >= seen.right || seen.top >= seen.bottom) return null;
        continue;
      }
      const cut = Math.max(wall.hides[0] ? across : 0, wall.hides[1] ? down : 0);
      if (cut > SLACK) return [cut, `its <${wall.node.tagName.toLowerCase()}>`];
    }
    return null;
  }

  // How deep two areas lie in each other, along the direction in which they do least.
  function depth(a, b) {
    const turned = (each) =>
      each.corners ?? [
        [each.left, each.top],
        [each.right, each.top],
        [each.right, each.bottom],
        [each.left, each.bottom],
      ];
    let least = Math.min(a.right - b.left, b.right - a.left, a.bottom - b.top, b.bottom - a.top);
    if (!a.corners && !b.corners) return least;
    for (const each of [turned(a), turned(b)]) {
      for (let i = 0; i < 2; i += 1) {
        const [[x1, y1], [x2, y2]] = [each[i], each[i + 1]];
        const length = Math.hypot(x2 - x1, y2 - y1) || 1;
        const along = (points) => points.map(([x, y]) => (x * (x2 - x1) + y * (y2 - y1)) / length);
        const [one, other] = [along(turned(a)), along(turned(b))];
        least = Math.min(least, Math.max(...one) - Math.min(...other), Math.max(...other) - Math.min(...one));
      }
    }
    return least;
  }

  // Texts of which one lies on another. What is scrolled together is compared.
  function overlaps(found, root, known) {
    const areas = found.flatMap((each) => {
      const frame = walls(each.parent, root, known).find(({ scrolls }) => scrolls)?.node ?? root;
      return each.boxes.map((place) => ({ ...place, corners: each.corners, each, frame }));
    });
    areas.sort((a, b) => a.left - b.left);
    const pairs = new Map();
    areas.forEach((a, i) => {
      for (let j = i + 1; j < areas.length && areas[j].left < a.right - OVERLAP; j += 1) {
        const b = areas[j];
        const same =
          a.each.owner === b.each.owner || a.each.owner.contains(b.each.owner) || b.each.owner.contains(a.each.owner);
        const shadow = a.each.text === b.each.text && Math.abs(a.left - b.left) + Math.abs(a.top - b.top) < 3;
        if (a.frame !== b.frame || same || shadow) continue;
        const deep = depth(a, b);
        if (deep > OVERLAP) pairs.set(`“${a.each.text}” on “${b.each.text}”`, deep);
      }
    });
    return [...pairs].map(([text, deep]) => ({ what: "overlap", text: `${text} (${deep.toFixed(0)} px)` }));
  }

  function sizeFaults(found, { least, leastScript, most }) {
    const wrong = new Map();
    for (const { size, script, inDrawing, text } of found) {
      const small = size < (script ? leastScript : least) - 0.05;
      const large = inDrawing && size > most + 0.05;
      if (!small && !large) continue;
      const key = `${small ? "small" : "large"} ${size.toFixed(1)}`;
      wrong.set(key, [...(wrong.get(key) ?? []), text]);
    }
    return [...wrong].map(([key, list]) => {
      const [what, size] = key.split(" ");
      return { what, text: `${size} px: “${list[0]}”${list.length > 1 ? ` and ${list.length - 1} more` : ""}` };
    });
  }

  // The part that must be seen at once: from the control to what it changes where the view says which these are.
  function glance(root) {
    const marked = [...root.querySelectorAll("[data-glance]")].filter(shown);
    const kinds = new Set(marked.map((node) => node.dataset.glance));
    if (!kinds.has("cause") || !kinds.has("effect")) return null;
    const places = marked.map((node) => node.getBoundingClientRect());
    return Math.max(...places.map(({ bottom }) => bottom)) - Math.min(...places.map(({ top }) => top));
  }

  function tooWide(root) {
    const { left, right } = root.getBoundingClientRect();
    const area = root.closest(".jp-OutputArea-output, .jp-OutputArea-child") ?? document.documentElement;
    const page = area.getBoundingClientRect();
    const over = Math.max(
      right - Math.min(page.right, innerWidth),
      page.left - left,
      root.scrollWidth - root.clientWidth,
    );
    return over > SLACK ? [{ what: "wide", text: `${over.toFixed(0)} px beyond the page` }] : [];
  }

  // What moves is measured where it comes to rest.
  function rest(root) {
    const moving = root.getAnimations({ subtree: true });
    moving.filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime)).forEach((each) => each.finish());
  }

  // Text, pictures and tables of which a part cannot be seen.
  function clipped(root, found, known) {
    const cut = new Map();
    for (const { text, boxes, parent } of found) {
      const over = boxes.map((place) => outside(place, parent, root, known)).find(Boolean);
      if (over) cut.set(`“${text}” ${over[0].toFixed(0)} px out of ${over[1]}`, true);
    }
    for (const node of root.querySelectorAll(SOLID)) {
      if (!shown(node) || !node.getClientRects().length || node.parentElement.closest("svg")) continue;
      const over = outside(box(node.getBoundingClientRect()), node.parentElement, root, known);
      if (over) cut.set(`<${node.tagName.toLowerCase()}> ${over[0].toFixed(0)} px out of ${over[1]}`, true);
    }
    return [...cut.keys()].map((text) => ({ what: "clipped", text }));
  }

  function measure(root, limits) {
    rest(root);
    const found = texts(root);
    const known = new Map();
    const faults = [...tooWide(root), ...sizeFaults(found, limits)];
    faults.push(...clipped(root, found, known), ...overlaps(found, root, known));
    for (const node of root.querySelectorAll(
      "input:not([type=range], [type=radio], [type=checkbox]), select, textarea",
    )) {
      const size = parseFloat(getComputedStyle(node).fontSize);
      if (shown(node) && size < limits.least - 0.05) faults.push({ what: "small", text: `${size} px in a field` });
    }
    const { width, height } = root.getBoundingClientRect();
    const range = (list) => (list.length ? [Math.min(...list), Math.max(...list)] : null);
    const whole = found.filter(({ script }) => !script);
    return {
      width,
      height,
      glance: glance(root),
      text: range(whole.map(({ size }) => size)),
      drawn: range(whole.filter(({ inDrawing }) => inDrawing).map(({ size }) => size)),
      scrolls: [...root.querySelectorAll("*")].some(
        (node) => node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX),
      ),
      faults,
    };
  }

  // What stands around the views: its text, and code and tables of which a part cannot be seen; code is never scrolled.
  function measurePage(root, limits) {
    const views = [...root.querySelectorAll(".live")];
    views.forEach((view) => (view.style.display = "none"));
    const faults = [...sizeFaults(texts(document.body), limits), ...clipped(root, texts(root), new Map())];
    for (const code of root.querySelectorAll(".highlight-python pre, .cell_input pre, .site-exercise pre"))
      if (shown(code) && code.scrollWidth > code.clientWidth + SLACK)
        faults.push({
          what: "cut code",
          text: `${code.scrollWidth - code.clientWidth} px of “${short(code.textContent)}”`,
        });
    views.forEach((view) => (view.style.display = ""));
    return faults;
  }

  // The same for a page in a frame, which cannot be reached from here: only its text, `scale` times as large.
  function measureText(root, limits, scale) {
    const found = texts(root).map((each) => ({ ...each, size: each.size * scale }));
    return sizeFaults(found, limits).map(({ what, text }) => ({ what, text: `${text}, in its frame` }));
  }

  window.look = { measure, measurePage, measureText, glance, shown, short };
})();
