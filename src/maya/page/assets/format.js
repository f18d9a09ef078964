// Numbers in the unit that reads best, and the colours of classes.
function time(ms) {
  const size = Math.abs(ms);
  if (size >= 1000) return (ms / 1000).toFixed(2) + " s";
  if (size >= 100) return ms.toFixed(1) + " ms";
  if (size >= 1) return ms.toFixed(2) + " ms";
  if (size >= 0.001) return (ms * 1000).toFixed(1) + " us";
  return Math.round(ms * 1e6) + " ns";
}
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + "%";
const signed = (share) => (share > 0 ? "+" : "\u2212") + percent(Math.abs(share));
const count = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : value.toLocaleString("en", { maximumFractionDigits: 1 }));
function scaled(value, units, base) {
  let unit = 0;
  while (Math.abs(value) >= base && unit < units.length - 1) { value /= base; unit += 1; }
  return (Math.abs(value) >= 100 || unit === 0 ? value.toFixed(0) : value.toPrecision(3)) + " " + units[unit];
}
const bytes = (value) => scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
const rate = (value, unit) => scaled(value, ["", "k", "M", "G", "T", "P", "E"], 1000) + unit;

const COLOURS = {
  "matmul": "#3566e0", "attention": "#7c4ddb", "convolution": "#4453c4", "elementwise": "#0f9488", "normalisation": "#c98a0c",
  "softmax and loss": "#cf4f95", "optimizer": "#a3622c", "reduction": "#0e8fc0", "indexing": "#6f9a1d", "copy": "#6b7a90",
  "compiled": "#19775a", "pooling": "#b04a4a", "interpolation": "#8c7a1f", "recurrent": "#5f6bd0", "fft": "#2f86a6", "communication": "#dd5b2b", "communication, exposed": "#dd4b3b",
  "waiting for other ranks": "#e0a83a", "idle": "#9aa5b4", "host": "#8a94a3", "launch": "#b0b8c4", "other": "#7d8799",
};
const SPARE = ["#3566e0", "#c98a0c", "#0f9488", "#cf4f95", "#7c4ddb", "#6f9a1d", "#dd5b2b", "#0e8fc0", "#a3622c", "#5f6bd0", "#6b7a90"];
function colour(name) {
  if (COLOURS[name]) return COLOURS[name];
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
  return SPARE[hash % SPARE.length];
}
const chip = (name) => el("span", { class: "chip", style: `background:${colour(name)}`, "aria-hidden": "true" });
