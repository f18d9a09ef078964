// A bar whose parts add up to the whole, and rows with a meter each.
function stackedBar(label, parts) {
  const total = parts.reduce((sum, part) => sum + part.ms, 0);
  const faint = new Set(["idle", "waiting for other ranks"]);
  const pieces = parts.map((part) => withTip(el("button", {
    type: "button", class: faint.has(part.name) ? "hatch" : null,
    style: `width:${(100 * part.ms) / total}%;background-color:${colour(part.name)}`,
    "aria-label": `${part.name}: ${time(part.ms)}, ${percent(part.ms / total)}`,
  }, part.ms / total > 0.06 ? part.name : ""), `${part.name}\n${time(part.ms)}, ${percent(part.ms / total)} of the step`));
  const legend = el("ul", { class: "legend" }, parts.filter((part) => part.ms / total > 0.0005).map((part) =>
    el("li", {}, chip(part.name), part.name, " ", el("b", {}, time(part.ms)), " ", el("span", { class: "small" }, percent(part.ms / total)))));
  return el("div", {}, el("div", { class: "stack", role: "group", "aria-label": label }, pieces), legend);
}

// A meter of one or more coloured lengths, relative to the longest row.
function meter(lengths, longest) {
  return el("span", { class: "meter", "aria-hidden": "true" }, lengths.map(([size, paint]) =>
    el("i", { style: `width:${Math.max(0, (100 * size) / (longest || 1))}%;background:${paint}` })));
}
