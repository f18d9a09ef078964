// Who holds the memory of the fullest GPU.
const HELD = { "parameters": "#3566e0", "gradients": "#7c4ddb", "optimizer state": "#a3622c", "activations and temporaries": "#0f9488", "buffers and workspaces": "#c98a0c" };
const heldColour = (name) => HELD[name] || (name.startsWith("allocated ") ? "#4cb8a8" : colour(name));

function memoryParts(memory) {
  const parts = memory.categories.filter(([, size]) => size > 0).map(([name, size]) => ({ name, size, paint: heldColour(name) }));
  const tensors = parts.reduce((sum, part) => sum + part.size, 0);
  const cached = Math.max(0, memory.reserved - memory.library - Math.max(tensors, 0));
  if (memory.library > 0) parts.push({ name: "workspaces of libraries", size: memory.library, paint: "#6b7a90" });
  if (cached > 0) parts.push({ name: "cached, not in use", size: cached, paint: "#a9b4c2" });
  parts.push({ name: "CUDA context", size: memory.context, paint: "#8a94a3" });
  return parts;
}

// A line of the program with its file and the directory of that.
const shortPlace = (place) => place.replace(/^.*\/(?=[^/]+\/[^/]+$)/, "");

function memoryView(data) {
  const memory = data.memory, parts = memoryParts(memory);
  const used = parts.reduce((sum, part) => sum + part.size, 0), whole = Math.max(memory.capacity, used);
  const pieces = parts.map((part) => withTip(el("button", { type: "button", style: `width:${(100 * part.size) / whole}%;background-color:${part.paint}`,
    "aria-label": `${part.name}: ${bytes(part.size)}` }, part.size / whole > 0.08 ? part.name : ""), `${part.name}\n${bytes(part.size)}, ${percent(part.size / memory.capacity)} of the GPU`));
  const legend = el("ul", { class: "legend" }, parts.map((part) => el("li", {}, el("span", { class: "chip", style: `background:${part.paint}` }), part.name, " ", el("b", {}, bytes(part.size)))),
    used < memory.capacity ? el("li", {}, el("span", { class: "chip", style: "background:var(--faint)" }), "free ", el("b", {}, bytes(memory.capacity - used))) : null);
  const longest = Math.max(1, ...memory.lines.map(([, size]) => size));
  const lines = memory.lines.length ? [el("h3", {}, "Allocated by these lines"), sortedTable("lines that allocated the memory", [
    { name: "line", words: true, value: ([line]) => line, show: ([line]) => el("code", { title: line }, shortPlace(line)) },
    { name: "memory", value: ([, size]) => size, show: ([, size]) => bytes(size) },
    { name: "", value: ([, size]) => size, show: ([, size]) => meter([[size, "var(--accent)"]], longest) },
  ], memory.lines, { by: 1, search: false })] : [];
  const many = memory.ranks.length > 1 ? [el("h3", {}, "Peak of each recorded rank"), sortedTable("peak memory of ranks", [
    { name: "rank", value: ([rank]) => rank }, { name: "peak", value: ([, size]) => size, show: ([, size]) => bytes(size) },
    { name: "", value: ([, size]) => size, show: ([, size]) => meter([[size, "var(--accent)"]], memory.capacity) },
  ], memory.ranks, { search: false, shown: 16 })] : [];
  const lead = memory.oom
    ? `It does not fit: ${bytes(memory.missing)} are missing at least.`
    : `The fullest GPU (rank ${memory.rank}) reserves ${bytes(memory.reserved)} of ${bytes(memory.capacity)}${memory.when ? `; its peak is ${memory.when}` : ""}.`;
  return section(data.timeline ? "half" : "", "Memory", lead,
    memory.oom && memory.failed_at ? el("p", { class: "bad" }, `The allocation of ${bytes(memory.asked)} failed at ${shortPlace(memory.failed_at)}.`) : null,
    memory.oom && memory.reason && !memory.failed_at ? el("p", { class: "small" }, memory.reason) : null,
    data.curve ? memoryCurve(data) : null,
    el("h3", {}, memory.oom ? "Held when it failed" : "Held at the peak"),
    el("div", { class: "stack", role: "group", "aria-label": "memory by what holds it" }, pieces), legend, lines, many);
}

// Stacked areas over the step, like the timeline above it; the fullest moment is marked.
const AREAS = ["#8a94a3", "#0f9488", "#3566e0", "#7c4ddb", "#c98a0c", "#cf4f95", "#6f9a1d", "#dd5b2b", "#0e8fc0", "#b0b8c4"];
function memoryCurve(data) {
  const { names, at, bytes: columns, rank, failed } = data.curve, frame = { left: 74, right: 890, top: 26, bottom: 300 };
  const totals = at.map((_, i) => columns.reduce((sum, column) => sum + column[i], 0));
  const peak = totals.indexOf(Math.max(...totals)), length = failed ? at[at.length - 1] : data.timeline.length;
  const moment = (v) => (failed ? count(v) : time(v / 1e6)), capacity = data.memory.capacity;
  const x = (v) => frame.left + (v / length) * (frame.right - frame.left);
  const gib = 2 ** 30, top = Math.max(totals[peak], failed ? capacity : 0) * 1.06, y = (v) => frame.bottom - (v / top) * (frame.bottom - frame.top);
  const below = at.map(() => 0);
  const areas = columns.map((column, series) => {
    const low = below.slice();
    column.forEach((size, i) => { below[i] += size; });
    const edge = (values) => values.map((v, i) => `${x(at[i]).toFixed(1)},${y(v).toFixed(1)}`);
    const points = [...edge(below.slice()), ...edge(low).reverse()].join(" ");
    return withTip(svg("polygon", { points, fill: AREAS[series % AREAS.length], "fill-opacity": 0.85 }), `${names[series]}\n${bytes(column[peak])} at the peak`);
  });
  const xTicks = evenTicks(0, length), yTicks = evenTicks(0, top / gib).filter((v) => v > 0);
  const lines = names.map((name, i) => [name, columns[i][peak], AREAS[i % AREAS.length]]).filter(([, size]) => size > 0.003 * totals[peak]);
  return el("div", {}, svg("svg", { viewBox: "0 0 900 345", role: "img", "aria-label": `tensors in memory over the step of rank ${rank}: at most ${bytes(totals[peak])} at ${failed ? "the allocation that failed" : moment(at[peak])}` },
    yTicks.map((v) => [svg("line", { class: "grid", x1: frame.left, x2: frame.right, y1: y(v * gib), y2: y(v * gib) }), svg("text", { x: frame.left - 8, y: y(v * gib) + 4, "text-anchor": "end" }, `${v} GiB`)]),
    areas, svg("line", { class: "axis", "stroke-dasharray": "4 3", x1: x(at[peak]), x2: x(at[peak]), y1: frame.top, y2: frame.bottom }),
    svg("text", { x: Math.min(x(at[peak]) + 6, frame.right - (failed ? 330 : 150)), y: frame.top - 8 }, `${failed ? "with the one that failed:" : "peak"} ${bytes(totals[peak])}`),
    failed ? [svg("line", { class: "axis", x1: frame.left, x2: frame.right, y1: y(capacity), y2: y(capacity) }), svg("text", { x: frame.left + 6, y: y(capacity) - 5 }, `the GPU has ${bytes(capacity)}`)] : null,
    xTicks.map((v) => svg("text", { x: x(v), y: frame.bottom + 18, "text-anchor": "middle" }, moment(v))),
    svg("text", { x: (frame.left + frame.right) / 2, y: frame.bottom + 40, "text-anchor": "middle" }, failed ? "allocations and releases, up to the one that failed" : "time in the step")),
    el("p", { class: "small" }, `Memory in tensors${failed ? "" : ", at the moment when the program asked for the work"}, by the line that allocated it.${failed ? " Cached memory, libraries and the CUDA context come on top." : ""}`),
    el("ul", { class: "legend" }, lines.map(([name, size, paint]) => el("li", { title: name }, el("span", { class: "chip", style: `background:${paint}` }), name.replace(/^.*\//, ""), " ", el("b", {}, bytes(size))))));
}
