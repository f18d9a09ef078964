// The page of one prediction, from top to bottom.
function drawPage(data) {
  if (data.page === "diff") return drawDiff(data);
  const step = data.timeline;
  if (data.part) return [{ timeline: timelineView, memory: memoryView }[data.part](data)];
  return [
    header(data), factCards(data),
    step ? [whereTimeGoes(data), data.scenarios.length ? whatHelps(data) : null, notesView(data), timelineView(data), memoryView(data), el("div", { class: "column" }, pathView(data), roofline(data)), kernelView(data)] : [memoryView(data), notesView(data)],
    aboutView(data),
  ];
}

function header(data) {
  const cluster = data.summary.cluster;
  return el("header", {}, el("p", { class: "brand" }, el("b", {}, "MAYA"), `prediction on ${cluster.name}: no GPU was used`),
    el("h1", { class: data.memory.oom ? "bad" : null }, data.answer), data.command ? el("pre", {}, data.command) : null);
}

function factCards(data) {
  return el("dl", { class: "facts" }, data.facts.map((fact) => el("div", { class: "fact" }, el("dt", {}, fact.name),
    el("dd", {}, el("div", { class: "value" }, fact.value), fact.name === "step" ? interval(data.summary.step) : null,
      fact.name === "memory" ? share(data.memory.reserved / data.memory.capacity) : null, el("span", { class: "small" }, fact.meaning)))));
}
function interval(step) {
  const from = step.low_ms * 0.94, wide = step.high_ms * 1.06 - from, at = (ms) => (100 * (ms - from)) / wide;
  return el("div", { class: "interval", role: "img", "aria-label": `between ${time(step.low_ms)} and ${time(step.high_ms)}` },
    el("i", { style: `left:${at(step.low_ms)}%;width:${at(step.high_ms) - at(step.low_ms)}%` }), el("b", { style: `left:${at(step.time_ms)}%` }));
}
const share = (part) => el("div", { class: "interval", role: "img", "aria-label": percent(part) + " of the GPU" }, el("i", { style: `left:0;width:${Math.min(100, 100 * part)}%;opacity:1` }));

function whereTimeGoes(data) {
  const parts = data.shares, total = parts.reduce((sum, part) => sum + part.ms, 0);
  const views = {};
  if (data.modules && data.modules.length) views["by module"] = () => moduleTree(data.modules, total);
  if (data.lines && data.lines.length) views["by source line"] = () => placeTable("line", shortLines(data.lines), total);
  views["by class"] = () => shareTable("classes", parts, total);
  return section("", "Where the time of a step goes", "Every moment of the step counts once; mean over the simulated steps and the recorded ranks." + otherThanMean(data),
    stackedBar("time of a step by class", parts), tabs("ways to divide the step", views));
}
// The answer is the median of steps that do the same work.
function otherThanMean(data) {
  const step = data.summary.step, differs = Math.abs(data.mean_step_ms / step.time_ms - 1) > 0.005;
  return differs ? ` Together that is ${time(data.mean_step_ms)}, the mean of ${count(step.count)} steps; the answer is their median, ${time(step.time_ms)}.` : "";
}
function shareTable(label, parts, total) {
  const longest = Math.max(...parts.map((part) => part.ms));
  return sortedTable(label, [
    { name: "class", words: true, value: (p) => p.name, show: (p) => [chip(p.name), p.name] },
    { name: "time", value: (p) => p.ms, show: (p) => time(p.ms) }, { name: "share", value: (p) => p.ms, show: (p) => percent(p.ms / total) },
    { name: "", value: (p) => p.ms, show: (p) => meter([[p.ms, colour(p.name)]], longest) }], parts, { search: false, by: 1 });
}
// A module's time is its own and that of the modules inside it.
function moduleTree(rows, total) {
  const root = { children: new Map(), ms: 0 };
  const add = (node, row) => { for (const key of ["ms", "forward", "backward", "other"]) node[key] = (node[key] || 0) + row[key]; };
  for (const row of rows) {
    let node = root;
    for (const part of row.name.startsWith("(") ? [row.name] : fusedParts(row.name)) {
      if (!node.children.has(part)) node.children.set(part, { name: part, children: new Map(), depth: (node.depth ?? -1) + 1 });
      node = node.children.get(part);
      add(node, row);
    }
    node.own = row;
  }
  const listed = [];
  const walk = (node) => {
    const children = [...node.children.values()];
    if (node.own && children.length && node.own.ms > 0.002 * total) children.push({ ...node.own, name: "(itself)", children: new Map(), depth: node.depth + 1 });
    for (const child of children.sort((a, b) => b.ms - a.ms)) if (child.ms > 0.002 * total) { listed.push(child); walk(child); }
  };
  walk(root);
  return placeTable("module", listed, total, (row) => el("code", { style: `padding-left:${1.4 * row.depth}em` }, row.name));
}
// Kernels of torch.compile that were fused from several modules stand below what those share.
function fusedParts(name) {
  const all = name.split(" + ").map(moduleParts);
  if (all.length === 1) return all[0];
  let shared = 0;
  while (all.every((parts) => shared < parts.length && parts[shared] === all[0][shared])) shared += 1;
  return [...all[0].slice(0, shared), all.map((parts) => parts.slice(shared).join(".") || "(itself)").join(" + ")];
}
const moduleParts = (name) => name.replace(/\.\*/g, "*").split(".").map((part) => part.replace(/\*$/, ".*"));

// Without the directory that all lines share.
function shortLines(rows) {
  const paths = rows.map((row) => row.name).filter((name) => name.startsWith("/")).map((name) => name.split("/").slice(0, -1));
  let shared = paths.length ? paths[0].length : 0;
  for (const path of paths) while (shared && path.slice(0, shared).join("/") !== paths[0].slice(0, shared).join("/")) shared -= 1;
  return rows.map((row) => ({ ...row, name: row.name.startsWith("/") ? row.name.split("/").slice(shared).join("/") : row.name, full: row.name }));
}

const PHASES = [["forward", "#3566e0"], ["backward", "#7c4ddb"], ["other", "#a3622c"]];
function placeTable(what, rows, total, name = null) {
  const longest = Math.max(...rows.map((row) => row.ms));
  return el("div", {}, sortedTable(what + "s", [
    { name: what, words: true, value: (r) => r.name, show: name || ((r) => el("code", { title: r.full }, r.name)) },
    { name: "time", value: (r) => r.ms, show: (r) => time(r.ms) }, { name: "share", value: (r) => r.ms, show: (r) => percent(r.ms / total) },
    { name: "forward", value: (r) => r.forward, show: (r) => (r.forward ? time(r.forward) : "") }, { name: "backward", value: (r) => r.backward, show: (r) => (r.backward ? time(r.backward) : "") },
    { name: "", value: (r) => r.ms, show: (r) => meter(PHASES.map(([name, paint]) => [r[name], paint]), longest) }], rows, { by: name ? null : 1, shown: 16, search: name ? false : `search ${what}s` }),
    el("ul", { class: "legend" }, PHASES.map(([name, paint]) => el("li", {}, el("span", { class: "chip", style: `background:${paint}` }), name))));
}

function whatHelps(data) {
  const now = data.summary.step.time_ms, rows = data.scenarios.filter((s) => now - s.step_ms > 0.001 * now);
  if (!rows.length) return section("half", "What would help most", "None of the changes that were simulated shortens the step by 0.1%.");
  const most = Math.max(...rows.map((s) => now - s.step_ms));
  return section("half", "What would help most", "The step, simulated again with one thing changed.", sortedTable("simulated changes", [
    { name: "if", words: true, value: (s) => s.name }, { name: "step", value: (s) => -s.step_ms, show: (s) => time(s.step_ms) },
    { name: "change", value: (s) => now - s.step_ms, show: (s) => [el("b", { class: "good" }, signed(s.step_ms / now - 1)), meter([[now - s.step_ms, "var(--good)"]], most)] }], rows, { search: false, by: 2 }));
}

function pathView(data) {
  const total = data.path.reduce((sum, part) => sum + part.ms, 0);
  return section("", "Critical path", "The chain of work, launches and waits that decides how long the step takes. The step gets shorter only where something in this chain does.",
    stackedBar("critical path by category", Object.entries(data.summary.critical_path.categories_ms).map(([name, ms]) => ({ name, ms }))),
    sortedTable("parts of the critical path", [
      { name: "part", words: true, value: (p) => p.name, show: (p) => [chip(p.category), el("code", {}, p.name)] }, { name: "times", value: (p) => p.count, show: (p) => count(p.count) },
      { name: "time", value: (p) => p.ms, show: (p) => time(p.ms) }, { name: "share", value: (p) => p.ms, show: (p) => percent(p.ms / total) }], data.path, { by: 2, shown: 8 }));
}

function kernelView(data) {
  const bandwidth = data.roof.bandwidth, rows = data.kernels.map((row) => ({ ...data.kinds[row.k], ...row }));
  const total = rows.reduce((sum, row) => sum + row.ms, 0), longest = Math.max(...rows.map((row) => row.ms));
  const moved = (r) => (r.bytes && r.ms ? (r.bytes * r.calls) / (r.ms / 1000) / bandwidth : null);
  const flops = (r) => (r.flops && r.ms ? (r.flops * r.calls) / (r.ms / 1000) : null);
  const source = data.sources;
  return section("", "Kernels", "GPU time of a step, mean over ranks, one row for each size. The error is one standard deviation. " + sourcesText(rows, source), sortedTable("kernels", [
    { name: "kernel", words: true, value: (r) => r.name, show: (r) => [chip(r.kind), el("code", {}, r.name)] },
    { name: "sizes", words: true, value: (r) => r.sizes || "", show: (r) => el("code", {}, r.sizes || "") },
    { name: "calls", value: (r) => r.calls, show: (r) => count(r.calls) }, { name: "each", value: (r) => r.ms / r.calls, show: (r) => time(r.ms / r.calls) },
    { name: "time", value: (r) => r.ms, show: (r) => time(r.ms) }, { name: "share", value: (r) => r.ms, show: (r) => [percent(r.ms / total), meter([[r.ms, colour(r.kind)]], longest)] },
    { name: "FLOP/s", value: flops, show: (r) => (flops(r) ? rate(flops(r), "") : "") }, { name: "of bandwidth", value: moved, show: (r) => (moved(r) ? percent(moved(r), 0) : "") },
    { name: "duration", words: true, value: (r) => r.source || "", show: (r) => el("span", { title: source[r.source] }, r.source || "") },
    { name: "error", value: (r) => r.uncertainty || 0, show: (r) => (r.uncertainty ? `\u00b1 ${percent(r.uncertainty, 0)}` : "") }],
    rows, { by: 4, shown: 25, search: "search kernels, sizes, classes" }));
}

// What the words of the column mean.
function sourcesText(rows, source) {
  const used = Object.entries(source).filter(([name]) => rows.some((row) => row.source === name));
  return used.length ? `Durations are ${used.map(([name, text]) => `${name} (${text})`).join(", ")}.` : "";
}

function notesView(data) {
  const calls = data.summary.unsupported_calls.map((call) => ({ text: `${call.name} is not supported (${call.count} calls)`, remedy: "What depends on it is missing from the prediction." }));
  const notes = [...data.notes, ...calls], kind = data.timeline && data.scenarios?.length ? "half" : "";
  if (!notes.length) return section(kind, "Before you rely on it", "Nothing stood out: no value was made up, every call was understood.");
  return section(kind, "Before you rely on it", "What could make the prediction wrong, and what to do about it.",
    el("ul", { class: "notes" }, notes.map((note) => el("li", {}, el("div", {}, note.text), el("div", { class: "remedy" }, note.remedy)))));
}

function aboutView(data) {
  const s = data.summary, sources = Object.entries(s.provenance || {}).filter(([, part]) => part > 0), rows = [
    ["cluster", s.cluster.name], ["GPUs used", `${count(s.gpus_used)} of ${count(s.gpus)}`], ["recorded ranks", s.emulation.virtual_ranks ? `${count(s.emulation.launched_ranks)}; ${count(s.emulation.virtual_ranks)} more do the same` : count(s.emulation.launched_ranks)],
    ["host", s.host ? s.host.profile : ""], ["durations", sources.map(([name, part]) => `${percent(part, 0)} ${name}`).join(", ")],
    ["steps simulated", s.step ? count(s.step.count) : "none"], ["recorded calls", count(s.emulation.calls)], ["recording took", s.emulation.wall_s ? `${s.emulation.wall_s.toFixed(1)} s` : ""],
    ["price", s.cost.price_date ? `$${s.cost.usd_per_hour.toFixed(2)} an hour, ${s.cost.price_date}` : "not known"], ["maya", s.maya_version]];
  return section("", "How this was made", null, el("dl", { class: "about" }, rows.filter(([, value]) => value).map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}
