// The page of a search: the best recipe, time against money, all recipes at once, and one by one.
const RECIPE_COLOURS = ["#3566e0", "#c98a0c", "#0f9488", "#7c4ddb", "#cf4f95", "#0e8fc0"];
function usd(value) {
  if (value === null || value === undefined) return "";
  if (value > 0 && value < 0.1) return "$" + Number(value.toPrecision(3));
  return "$" + value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function drawPage(data) {
  const rows = data.ranked.map((row, i) => ({ ...row, place: i + 1, at: data.places[i], link: data.links[i], front: data.front.includes(row.trial), equal: i < data.equal_to_best }));
  const clusters = [...new Set(rows.map((row) => row.cluster))].sort();
  rows.forEach((row) => { row.paint = RECIPE_COLOURS[clusters.indexOf(row.cluster) % RECIPE_COLOURS.length]; });
  const shared = { chosen: null, listeners: [] };
  shared.choose = (test) => { shared.chosen = test; shared.listeners.forEach((listener) => listener()); };
  return [
    el("header", {}, el("p", { class: "brand" }, el("b", {}, "MAYA"), "search of recipes: no GPU was used"), el("h1", { class: rows.length ? null : "bad" }, data.answer),
      rows.length ? el("pre", {}, Object.entries(rows[0].env).map(([k, v]) => `${k}=${v} `).join("") + rows[0].command) : null),
    rows.length ? bestFacts(rows[0], data) : null,
    paretoView(rows, clusters, data, shared), parallelView(rows, clusters, data, shared), recipeTable(rows, data, shared),
    data.why.length ? section("half", "Why it wins", null, el("ul", {}, data.why.map((line) => el("li", {}, line)))) : null,
    Object.keys(data.importance).length ? importanceView(data) : null,
    countsView(data), othersView(data),
  ];
}

function bestFacts(best, data) {
  const m = best.metrics, facts = [["step", time(m.step_ms), `${time(m.low_ms)} to ${time(m.high_ms)}`], ["MFU", percent(m.mfu || 0), ""], ["memory", bytes(m.peak_bytes), "on the fullest GPU"],
    ["for 1B tokens", usd(best.usd_per_1b_tokens), ""], ["cluster", best.cluster, ""], ["as good within the error", String(data.equal_to_best - 1) + (data.equal_to_best === 2 ? " other" : " others"), data.equal_to_best > 1 ? "take any of them" : "this one is the best"]];
  return el("dl", { class: "facts" }, facts.filter(([, value]) => value).map(([name, value, meaning]) =>
    el("div", { class: "fact" }, el("dt", {}, name), el("dd", {}, el("div", { class: "value" }, value), el("span", { class: "small" }, meaning)))));
}

function importanceView(data) {
  const rows = Object.entries(data.importance).map(([name, part]) => ({ name, part }));
  return section("half", "Which knobs matter", "How much of the difference between recipes each knob explains.", sortedTable("importance of knobs", [
    { name: "knob", words: true, value: (r) => r.name }, { name: "share", value: (r) => r.part, show: (r) => percent(r.part, 0) },
    { name: "", value: (r) => r.part, show: (r) => meter([[r.part, "var(--accent)"]], Math.max(...rows.map((row) => row.part))) }], rows, { by: 1, search: false }));
}

const recipeText = (row) => `${row.place}. ${row.cluster}\n${Object.entries(row.knobs).map(([k, v]) => `${k} ${v}`).join(", ")}\n${time(row.metrics.step_ms)} a step, MFU ${percent(row.metrics.mfu || 0)}, ${bytes(row.metrics.peak_bytes)}`;
const isWide = (values) => Math.min(...values) > 0 && Math.max(...values) > 8 * Math.min(...values);

function paretoView(rows, clusters, data, shared) {
  const placed = rows.filter((row) => row.at);
  if (placed.length < 2) return null;
  const frame = { left: 96, right: 880, top: 32, bottom: 380 }, xs = placed.map((r) => r.at[0]), ys = placed.map((r) => r.at[1]);
  const x = axis(xs, frame.left, frame.right, isWide(xs)), y = axis(ys, frame.bottom, frame.top, isWide(ys));
  const front = placed.filter((row) => row.front).sort((a, b) => a.at[0] - b.at[0]);
  const dots = placed.slice().reverse().map((row) => [row, dot([x.at(row.at[0]), y.at(row.at[1])], `${recipeText(row)}\n${usd(row.at[1])} per ${data.unit}`,
    { r: row.front ? 8 : 5.5, fill: row.paint, "fill-opacity": row.front ? 1 : 0.6, stroke: row.front ? "var(--ink)" : "none", "stroke-width": 1.5, onclick: () => { if (row.link) location.href = row.link; } })]);
  shared.listeners.push(() => dots.forEach(([row, node]) => { node.style.opacity = !shared.chosen || shared.chosen(row) ? 1 : 0.08; }));
  return section("half", "Time and money", "Outlined points are Pareto-optimal: no other recipe is both faster and cheaper. Click one to see its run.",
    svg("svg", { viewBox: "0 0 900 430", role: "group", "aria-label": "recipes by time and money; the table has the same figures" },
      grid(x, y, frame, { x: `time per ${data.unit}`, y: `dollars per ${data.unit}`, xTick: (v) => time(v), yTick: (v) => "$" + Number(v.toPrecision(3)) }),
      front.length > 1 ? svg("polyline", { points: front.map((row) => `${x.at(row.at[0])},${y.at(row.at[1])}`).join(" "), fill: "none", class: "axis", "stroke-dasharray": "5 4" }) : null, dots.map(([, node]) => node)),
    clusterLegend(clusters));
}
const clusterLegend = (clusters) => el("ul", { class: "legend" }, clusters.map((name, i) => el("li", {}, el("span", { class: "chip", style: `background:${RECIPE_COLOURS[i % RECIPE_COLOURS.length]}` }), name)));

// One axis for each knob and figure, one line for each recipe; dragging along an axis keeps what crosses there.
function parallelView(rows, clusters, data, shared) {
  const varied = data.knobs.filter((name) => new Set(rows.map((row) => row.knobs[name])).size > 1);
  const figures = [["step", (r) => r.metrics.step_ms, time], ["MFU", (r) => r.metrics.mfu || 0, (v) => percent(v, 0)], ["memory", (r) => r.metrics.peak_bytes / 2 ** 30, (v) => `${v} GiB`]];
  const axes = [...(clusters.length > 1 ? [["cluster", (r) => r.cluster]] : []), ...varied.map((name) => [name, (r) => r.knobs[name]]), ...figures];
  if (rows.length < 2 || axes.length < 2) return null;
  const width = 900, top = 46, bottom = 350, at = (i) => 50 + (i * (width - 130)) / (axes.length - 1), brushes = new Map();
  const scales = axes.map(([, value, show]) => axisScale(rows.map(value), top, bottom, show));
  const lines = rows.slice().reverse().map((row) => [row, withTip(svg("polyline", { points: axes.map(([, value], i) => `${at(i)},${scales[i].at(value(row))}`).join(" "), fill: "none", stroke: row.paint, "stroke-width": row.place === 1 ? 3.5 : 1.4, "stroke-opacity": row.place === 1 ? 1 : 0.55 }), recipeText(row))]);
  const fits = (row) => [...brushes].every(([i, [low, high]]) => { const y = scales[i].at(axes[i][1](row)); return y >= low - 4 && y <= high + 4; });
  const picture = svg("svg", { viewBox: `0 0 ${width} 390`, role: "group", "aria-label": "all recipes with their knobs and figures; the table has the same figures" }, lines.map(([, node]) => node),
    axes.map(([name], i) => parallelAxis(name, at(i), scales[i], top, bottom, (range) => { if (range) brushes.set(i, range); else brushes.delete(i); shared.choose(brushes.size ? fits : null); }, () => picture)));
  shared.listeners.push(() => lines.forEach(([row, node]) => { node.style.opacity = !shared.chosen || shared.chosen(row) ? 1 : 0.05; }));
  return section("half", "All recipes", "Drag along an axis to keep the recipes that cross it there; click the axis to let all through again. The thick line is the best.", picture);
}
function axisScale(values, top, bottom, show) {
  if (values.every((v) => typeof v === "number") && (show || new Set(values).size > 8)) {
    const scale = axis(values, bottom, top, isWide(values));
    return { at: scale.at, ticks: scale.ticks.map((v) => [scale.at(v), (show || count)(v)]) };
  }
  const names = [...new Set(values)].sort((a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))));
  const step = names.length > 1 ? (bottom - top - 16) / (names.length - 1) : 0, place = (v) => bottom - 8 - names.indexOf(v) * step;
  return { at: place, ticks: names.map((name) => [place(name), String(name)]) };
}
function parallelAxis(name, x, scale, top, bottom, brushed, picture) {
  const mark = svg("rect", { x: x - 7, width: 14, y: top, height: 0, fill: "var(--accent)", "fill-opacity": 0.35 });
  let from = null;
  const height = (event) => { const box = picture().getBoundingClientRect(); return Math.max(top, Math.min(bottom, ((event.clientY - box.top) / box.height) * 390)); };
  const drag = (event) => { if (from === null) return; const to = height(event); mark.setAttribute("y", Math.min(from, to)); mark.setAttribute("height", Math.abs(to - from)); };
  const area = svg("rect", { x: x - 16, y: top - 6, width: 32, height: bottom - top + 12, fill: "transparent", style: "cursor:ns-resize;touch-action:none", "data-axis": name,
    onpointerdown: (event) => { from = height(event); area.setPointerCapture(event.pointerId); mark.setAttribute("height", 0); }, onpointermove: drag,
    onpointerup: (event) => { const to = height(event); if (Math.abs(to - from) < 4) { mark.setAttribute("height", 0); brushed(null); } else brushed([Math.min(from, to), Math.max(from, to)]); from = null; } });
  const label = name.length > 14 ? name.slice(0, 13) + "\u2026" : name;
  return svg("g", {}, svg("line", { class: "axis", x1: x, x2: x, y1: top, y2: bottom }), svg("text", { x, y: 22, "text-anchor": "middle", style: "fill:var(--ink)" }, label, svg("title", {}, name)),
    scale.ticks.map(([y, text]) => svg("text", { x: x + 7, y: y + 4, style: "paint-order:stroke;stroke:var(--card);stroke-width:3px" }, text)), mark, area);
}

function recipeTable(rows, data, shared) {
  if (!rows.length) return null;
  const holder = el("div");
  const draw = () => holder.replaceChildren(sortedTable("recipes", [
    { name: "", value: (r) => -r.place, show: (r) => `${r.place}${r.front ? " *" : ""}` },
    { name: "cluster", words: true, value: (r) => r.cluster, show: (r) => [el("span", { class: "chip", style: `background:${r.paint}` }), r.cluster] },
    ...data.knobs.map((name) => ({ name, words: true, value: (r) => r.knobs[name], show: (r) => String(r.knobs[name]) })),
    { name: "step", value: (r) => r.metrics.step_ms, show: (r) => [r.equal ? el("b", { class: "good" }, time(r.metrics.step_ms)) : time(r.metrics.step_ms)] },
    { name: "interval", value: (r) => r.metrics.high_ms - r.metrics.low_ms, show: (r) => `${time(r.metrics.low_ms)} to ${time(r.metrics.high_ms)}` },
    { name: "MFU", value: (r) => r.metrics.mfu || 0, show: (r) => percent(r.metrics.mfu || 0) }, { name: "memory", value: (r) => r.metrics.peak_bytes, show: (r) => bytes(r.metrics.peak_bytes) },
    { name: "exposed", title: "communication that no kernel hides", value: (r) => r.metrics.exposed_ms || 0, show: (r) => time(r.metrics.exposed_ms || 0) }, { name: "$ / 1B tokens", value: (r) => r.usd_per_1b_tokens, show: (r) => usd(r.usd_per_1b_tokens) },
    { name: "run", words: true, value: (r) => (r.link ? 1 : 0), show: (r) => (r.link ? el("a", { href: r.link }, "page") : "") },
    { name: "command", words: true, value: (r) => r.command, show: (r) => el("details", {}, el("summary", {}, "command"), el("code", {}, r.command)) }],
    shared.chosen ? rows.filter(shared.chosen) : rows, { shown: 30, search: "search recipes" }));
  shared.listeners.push(draw);
  draw();
  return section("", "Recipes, best first", "* Pareto-optimal. Green steps cannot be told from the best: their intervals overlap.", holder);
}

const ENDS = {
  evaluated: "evaluated", ok: "worked", oom: "ran out of memory", hopeless: "ended early: could not win", failed: "failed", pruned: "skipped: a lighter one ran out of memory",
  not_tried: "not tried", emulated: "emulated", resimulated: "simulated again from the recording of another", reused: "the same as one before",
};
function countsView(data) {
  const told = Object.entries(ENDS).filter(([key]) => data.counts[key]).map(([key, name]) => [name, count(data.counts[key])]);
  const excluded = Object.entries(data.space.infeasible);
  return section("", "What was done", `${count(data.space.feasible)} of ${count(data.space.combinations)} combinations can run. The search took ${data.seconds.toFixed(0)} s.`,
    el("dl", { class: "about" }, told.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    excluded.length ? el("ul", {}, excluded.map(([rule, number]) => el("li", {}, `${count(number)} combinations are excluded by `, el("code", {}, rule)))) : null);
}
function othersView(data) {
  if (!data.others.length) return null;
  return section("", "Recipes that did not work", null, sortedTable("recipes that did not work", [
    { name: "recipe", words: true, value: (r) => r.recipe }, { name: "why", words: true, value: (r) => r.why }], data.others, { shown: 15, search: "search" }));
}
