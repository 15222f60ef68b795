// The kit's numbers: from a buffer, in sums, and as people write them.

const INLIERS = 0.995; // the share of numbers that fits a limit

// A binary trait's float32 numbers, as an aligned copy.
export function floats(view) {
  if (!view) return new Float32Array(0);
  const { buffer, byteOffset, byteLength } = view;
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

// A binary trait's bytes, as a copy.
export function bytes(view) {
  if (!view) return new Uint8Array(0);
  const { buffer, byteOffset, byteLength } = view;
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

// Softmax over an array; −∞ gets weight 0, and where everything is −∞ all weights are 0.
export function softmax(values) {
  let largest = -Infinity;
  for (const value of values) if (value > largest) largest = value;
  const weights = new Float64Array(values.length);
  if (largest === -Infinity) return weights;
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += weights[i] = Math.exp(values[i] - largest);
  for (let i = 0; i < values.length; i += 1) weights[i] /= total;
  return weights;
}

// `value` kept between `low` and `high`.
export function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

// A number as people write it: fixed digits, a real minus sign, never “−0.00”.
export function format(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// Whole numbers with thin spaces between their thousands.
export function grouped(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// A number of bytes with a unit, in up to three digits or with `digits` behind the point: 36.9 MB. Bytes stay below
// `least`.
export function bytesText(number, { least = 1000, digits = null } = {}) {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = number < least ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(number) / 3));
  const part = number / 1000 ** power;
  const text = digits === null ? Number(part.toPrecision(3)) : format(part, digits);
  return `${power ? text : grouped(number)} ${units[power]}`;
}

// A whole number as an exponent: ⁻³.
export function superscript(number) {
  return String(number)
    .replace("-", "⁻")
    .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}

// About `count` round numbers for an axis from `low` to `high`: {list, digits}.
export function ticks(low, high, count) {
  const rough = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  const list = [];
  for (let at = Math.ceil(low / size) * size; at <= high + size * 1e-6; at += size) {
    list.push(Math.abs(at) < size * 1e-6 ? 0 : at);
  }
  return { list, digits: Math.max(0, -Math.floor(Math.log10(size) + 1e-9)) };
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values) {
  return sum(values) / values.length;
}

export function indexOfLargest(values) {
  return values.reduce((best, value, i) => (value > values[best] ? i : best), 0);
}

// A limit for colors: nearly the largest size, so that one outlier does not make everything else pale.
export function limitOf(values) {
  const sizes = Float32Array.from(values, Math.abs).sort();
  return sizes[Math.floor((sizes.length - 1) * INLIERS)] || 1;
}
