// Two predictions side by side: what changed, and where it came from.
const BETTER = "#1a9a63", WORSE = "#d64545";
const unchanged = (before, after) => Math.abs(after / before - 1) < 0.0005;
const changeText = (before, after) => (unchanged(before, after) ? "the same" : signed(after / before - 1));
const changeOf = (ms) => el("b", { class: ms > 0 ? "bad" : "good" }, (ms > 0 ? "+" : "\u2212") + time(Math.abs(ms)));
const TOTALS = { "peak reserved bytes": bytes, "peak allocated bytes": bytes, "MFU": (v) => percent(v), "tokens a second": count, "samples a second": count, "dollars a step": (v) => "$" + v.toPrecision(3) };
const MORE_IS_BETTER = new Set(["MFU", "tokens a second", "samples a second"]);

function drawDiff(data) {
  const [before, after] = data.sides;
  const titled = (side, title) => el("div", {}, el("h3", {}, side.name), title);
  const sections = [
    el("header", {}, el("p", { class: "brand" }, el("b", {}, "MAYA"), "two predictions compared: no GPU was used"), el("h1", {}, data.answer)),
    section("", "Side by side", null, el("div", { class: "sides" }, data.sides.map((side) => titled(side, [el("p", {}, side.answer), el("pre", {}, side.command), factCards(side)]))), totalsTable(data)),
  ];
  if (before.shares && after.shares) sections.push(
    section("half", "What caused it", "Time of a step by class; the changes add up to the change of the step.", changeTable("classes", data.classes, before.name, after.name, true)),
    section("half", "By module", "The same by module of the program.", changeTable("modules", joined(before.modules, after.modules), before.name, after.name)),
    data.sides.map((side) => { const view = timelineView(side); view.querySelector("h2").textContent = `Timeline of ${side.name}`; return view; }));
  sections.push(section("", "Kernels that changed", "Time a step; the largest change first.", kernelChanges(data, before, after)));
  sections.push(data.sides.map((side) => { const view = notesView(side); view.className = "half"; view.querySelector("h2").textContent = `Before you rely on ${side.name}`; return view; }));
  return sections;
}

function totalsTable(data) {
  const [before, after] = data.sides;
  const show = (row, value) => (value === null ? "" : (TOTALS[row.name] || time)(value));
  const good = (row) => (row.after - row.before) * (MORE_IS_BETTER.has(row.name) ? 1 : -1) > 0;
  return sortedTable("totals", [
    { name: "figure", words: true, value: (r) => r.name.replace(/ ms$| bytes$/, "") },
    { name: before.name, value: (r) => r.before, show: (r) => show(r, r.before) }, { name: after.name, value: (r) => r.after, show: (r) => show(r, r.after) },
    { name: "change", value: (r) => r.after - r.before, show: (r) => (r.before && r.after ? el("b", { class: unchanged(r.before, r.after) ? null : good(r) ? "good" : "bad" }, changeText(r.before, r.after)) : "") }],
    data.totals.filter((row) => row.before || row.after), { search: false });
}

function joined(before = [], after = []) {
  const all = new Map();
  for (const row of before) all.set(row.name, { name: row.name, before: row.ms, after: 0 });
  for (const row of after) all.set(row.name, { ...(all.get(row.name) || { name: row.name, before: 0 }), after: row.ms });
  return [...all.values()].sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

function changeTable(label, rows, first, second, painted) {
  if (!rows.length) return el("p", { class: "small" }, "Neither recording says which module asked for its work.");
  const most = Math.max(...rows.map((row) => Math.abs(row.after - row.before)), 1e-9), change = (r) => r.after - r.before;
  return sortedTable(label, [
    { name: "", words: true, value: (r) => r.name, show: (r) => (painted ? [chip(r.name), r.name] : el("code", {}, r.name)) },
    { name: first, value: (r) => r.before, show: (r) => time(r.before) }, { name: second, value: (r) => r.after, show: (r) => time(r.after) },
    { name: "change", value: (r) => Math.abs(change(r)), show: (r) => Math.abs(change(r)) < 1e-6 ? "the same" : [changeOf(change(r)), meter([[Math.abs(change(r)), change(r) > 0 ? WORSE : BETTER]], most)] }],
    rows, { by: 3, shown: 14 });
}

function kernelChanges(data, before, after) {
  const change = (r) => (r.after || 0) - (r.before || 0), changed = data.kernels.filter((row) => Math.abs(change(row)) > 1e-6);
  if (!changed.length) return el("p", { class: "small" }, "None: every kernel takes as long as before.");
  return sortedTable("kernels", [
    { name: "kernel", words: true, value: (r) => r.name, show: (r) => el("code", {}, r.name) },
    { name: before.name, value: (r) => r.before, show: (r) => time(r.before || 0) }, { name: after.name, value: (r) => r.after, show: (r) => time(r.after || 0) },
    { name: "change", value: (r) => Math.abs(change(r)), show: (r) => changeOf(change(r)) },
    { name: "because", words: true, value: (r) => r.cause }], changed, { by: 3, shown: 25, search: "search kernels" });
}
