// A line chart that several widgets share: lineChart(…) gives {node, draw(series, settings)}.

const CHART = { left: 50, right: 14, top: 12, bottom: 40 };

// Where a logarithmic axis has its numbers: [[height, text], …]; powers of ten, or 1, 2, 5 where the range is small.
function logTicks(low, high) {
  const wide = Math.log10(high / low) > 2.5;
  const list = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const factor of wide ? [1] : [1, 2, 5]) {
      const at = factor * 10 ** power;
      if (at >= low && at <= high) list.push([at, wide ? `10${superscript(power)}` : format(at, Math.max(0, -power))]);
    }
  }
  return list;
}

// A chart of width × height units; `log` makes the y axis logarithmic, `xText(at, digits)` writes the numbers below.
function lineChart({ width = 460, height = 260, xLabel, yLabel, log = false, xText = format }) {
  const floor = height - CHART.bottom,
    right = width - CHART.right;
  const grid = svg("g"),
    lines = svg("g");
  const name = svg("text", {
    class: "tick",
    x: (CHART.left + right) / 2,
    y: height - 6,
    "text-anchor": "middle",
    text: xLabel,
  });
  const side = svg("text", {
    class: "tick",
    transform: `translate(11 ${(CHART.top + floor) / 2}) rotate(-90)`,
    "text-anchor": "middle",
    text: yLabel,
  });
  const node = svg(
    "svg",
    { class: "line-chart", viewBox: `0 0 ${width} ${height}`, role: "img" },
    grid,
    svg("path", { class: "axis", d: `M${CHART.left} ${CHART.top}V${floor}H${right}` }),
    lines,
    name,
    side,
  );

  // series: [{points: [[x, y], …], class, end}]; `end` is written after the last point. x and y limits: {x: [low,
  // high], y: [low, high]}.
  const draw = (series, { x: [left, end], y: [low, high], told = "" }) => {
    const scale = log ? Math.log10 : (value) => value;
    const px = (x) => CHART.left + ((x - left) / (end - left || 1)) * (right - CHART.left);
    const py = (y) => floor - ((scale(y) - scale(low)) / (scale(high) - scale(low) || 1)) * (floor - CHART.top);
    const below = ticks(left, end, 6);
    const across = ticks(low, high, 5);
    const beside = log ? logTicks(low, high) : across.list.map((at) => [at, format(at, across.digits)]);
    grid.replaceChildren(
      ...below.list.map((at) =>
        svg("text", {
          class: "tick",
          x: px(at),
          y: floor + 16,
          "text-anchor": "middle",
          text: xText(at, below.digits),
        }),
      ),
      ...beside.flatMap(([at, text]) => [
        svg("line", { class: "guide", x1: CHART.left, x2: right, y1: py(at), y2: py(at) }),
        svg("text", { class: "tick", x: CHART.left - 6, y: py(at) + 4, "text-anchor": "end", text }),
      ]),
    );
    const visible = (y) => Number.isFinite(y) && (!log || y > 0);
    lines.replaceChildren(
      ...series.flatMap(({ points, class: look, end: text }) => {
        const kept = points.filter(([, y]) => visible(y));
        if (!kept.length) return [];
        const path = svg("path", {
          class: `line ${look}`,
          d: `M${kept.map(([x, y]) => `${px(x).toFixed(1)} ${py(clamp(y, low, high)).toFixed(1)}`).join("L")}`,
        });
        const [x, y] = kept.at(-1);
        const dot = kept.length === 1 ? svg("circle", { class: `dot ${look}`, cx: px(x), cy: py(y), r: 3 }) : null;
        return [
          path,
          dot,
          text &&
            svg("text", {
              class: `end ${look}`,
              x: Math.min(px(x) + 4, width - 16),
              y: py(clamp(y, low, high)) - 5,
              text,
            }),
        ].filter(Boolean);
      }),
    );
    node.setAttribute("aria-label", told);
  };
  return { node, draw };
}

// The least and the most of many numbers, NaN and infinity left out.
function limits(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : [low, high];
}

// A running mean over `width` values, shorter at the start.
function runningMean(values, width) {
  return Array.from(values, (_, i) => {
    const part = values.slice(Math.max(0, i - width + 1), i + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
