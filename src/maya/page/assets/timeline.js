// One step as lanes on a canvas: zoom, pan, search, and what each piece is.
const UNIT = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15; // larger on large screens
const LANE = 17 * UNIT, GAP = 3 * UNIT, GUTTER = 118 * UNIT, AXIS = 24 * UNIT;
const BUBBLE = COLOURS["waiting for other ranks"], EXPOSED = COLOURS["communication, exposed"];

// Starts and ends from the packed columns: how long after the one before, and how long.
function unpackSpans(packed) {
  const begin = new Float64Array(packed.s.length), end = new Float64Array(packed.s.length);
  let at = 0;
  for (let i = 0; i < begin.length; i += 1) { begin[i] = at + packed.s[i]; at = end[i] = begin[i] + packed.d[i]; }
  return { begin, end };
}

// The union of spans, as sorted spans that do not touch.
function union(lanes) {
  const all = lanes.flatMap((lane) => Array.from(lane.begin, (b, i) => [b, lane.end[i]])).sort((a, b) => a[0] - b[0]);
  const found = [];
  for (const [b, e] of all) {
    const last = found[found.length - 1];
    if (last && b <= last[1]) last[1] = Math.max(last[1], e);
    else found.push([b, e]);
  }
  return found;
}
function without(begin, end, covered) {
  const found = [];
  let low = 0, high = covered.length;
  while (low < high) { const mid = (low + high) >> 1; if (covered[mid][1] <= begin) low = mid + 1; else high = mid; }
  for (let i = low; i < covered.length && covered[i][0] < end; i += 1) {
    if (covered[i][0] > begin) found.push([begin, covered[i][0]]);
    begin = Math.max(begin, covered[i][1]);
  }
  if (begin < end) found.push([begin, end]);
  return found;
}

function readRank(rank) {
  const lanes = rank.lanes.map((lane) => ({ ...lane, ...unpackSpans(lane), waits: lane.waits ? unpackSpans(lane.waits) : null }));
  const streams = lanes.filter((lane) => lane.kind !== "host");
  const isCollective = (lane, i, kinds) => kinds[lane.k[i]].kind === "communication";
  return { rank: rank.rank, lanes, streams, isCollective };
}

function exposedParts(rank, kinds) {
  const kernels = rank.streams.map((lane) => {
    const which = Array.from(lane.k.keys()).filter((i) => kinds[lane.k[i]].kind !== "communication");
    return { begin: which.map((i) => lane.begin[i]), end: which.map((i) => lane.end[i]) };
  });
  const covered = union(kernels), moving = [], waiting = [];
  for (const lane of rank.streams)
    lane.k.forEach((k, i) => {
      if (kinds[k].kind !== "communication") return;
      const from = lane.begin[i] + (lane.w.length ? lane.w[i] : 0);
      waiting.push(...without(lane.begin[i], from, covered));
      moving.push(...without(from, lane.end[i], covered));
    });
  const flat = (parts) => { const joined = union([{ begin: parts.map((p) => p[0]), end: parts.map((p) => p[1]) }]); return { begin: Float64Array.from(joined, (p) => p[0]), end: Float64Array.from(joined, (p) => p[1]) }; };
  return { moving: flat(moving), waiting: flat(waiting) };
}

class Timeline {
  constructor(data, holder) {
    this.data = data;
    this.kinds = data.kinds;
    this.length = data.timeline.length;
    this.ranks = data.timeline.ranks.map(readRank);
    this.ranks.forEach((rank) => { rank.exposed = exposedParts(rank, this.kinds); });
    this.path = { ...data.timeline.path, ...unpackSpans(data.timeline.path) };
    this.compact = this.ranks.length > 4;
    this.hosts = this.ranks.length <= 4;
    this.view = [0, this.length];
    this.found = [];
    this.canvas = el("canvas", { tabindex: "0", role: "application", "aria-label": "timeline of one step: arrow keys move, plus and minus zoom, 0 shows all" });
    this.details = el("p", { class: "details", role: "status", "aria-live": "polite" }, "Point at a piece, or click it, to see what it is.");
    holder.append(this.tools(), el("div", { class: "lanes" }, this.canvas), this.details);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  tools() {
    const button = (text, act, label) => el("button", { type: "button", class: "tool", "aria-label": label || text, onclick: act }, text);
    const toggle = (text, name) => {
      const made = button(text, () => { this[name] = !this[name]; made.setAttribute("aria-pressed", this[name]); this.draw(); });
      made.setAttribute("aria-pressed", this[name]);
      return made;
    };
    this.matches = el("span", { class: "small", "aria-live": "polite" });
    return el("div", { class: "bar-tools" },
      el("input", { type: "search", placeholder: "find a kernel, module or line", "aria-label": "search the timeline",
        oninput: (event) => this.search(event.target.value), onkeydown: (event) => { if (event.key === "Enter") this.next(); } }),
      this.matches, el("span", { class: "grow" }),
      this.ranks.length > 1 ? toggle("one row a GPU", "compact") : null, toggle("host threads", "hosts"),
      button("+", () => this.zoom(0.5), "zoom in"), button("\u2212", () => this.zoom(2), "zoom out"), button("all", () => this.show(0, this.length), "show the whole step"));
  }

  // What is drawn, from top to bottom: {label, rank, draw lanes}
  rows() {
    const rows = [{ label: "critical path", kind: "path", title: true }];
    for (const rank of this.ranks) {
      if (this.compact) {
        rows.push({ label: `rank ${rank.rank}`, rank, kind: "compact", title: true });
        continue;
      }
      rank.streams.forEach((lane, i) => rows.push({ label: (this.ranks.length > 1 && i === 0 ? `rank ${rank.rank}: ` : "") + lane.name, rank, lane, kind: "stream", title: i === 0 }));
      if (this.hosts) rank.lanes.filter((lane) => lane.kind === "host").forEach((lane) => rows.push({ label: lane.name, rank, lane, kind: "host" }));
    }
    return rows;
  }

  x(at) { return GUTTER + ((at - this.view[0]) / (this.view[1] - this.view[0])) * (this.width - GUTTER); }
  at(x) { return this.view[0] + ((x - GUTTER) / (this.width - GUTTER)) * (this.view[1] - this.view[0]); }

  draw() {
    const style = getComputedStyle(document.documentElement), pick = (name) => style.getPropertyValue(name).trim();
    this.paints = { ink: pick("--ink"), soft: pick("--soft"), line: pick("--line"), faint: pick("--faint"), card: pick("--card") };
    const rows = (this.drawn = this.rows()), scale = devicePixelRatio || 1;
    this.width = this.canvas.parentElement.clientWidth;
    const height = AXIS + rows.reduce((sum, row) => sum + LANE + GAP + (row.title ? 4 : 0), 0) + 4;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = height + "px";
    const pen = this.canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.font = `${12 * UNIT}px system-ui, sans-serif`;
    pen.textBaseline = "middle";
    this.drawAxis(pen, height);
    let top = AXIS;
    for (const row of rows) {
      if (row.title) top += 4;
      row.top = top;
      pen.fillStyle = this.paints.soft;
      pen.fillText(row.label, 8, top + LANE / 2, GUTTER - 14);
      pen.save();
      pen.beginPath();
      pen.rect(GUTTER, top, this.width - GUTTER, LANE);
      pen.clip();
      pen.fillStyle = this.paints.faint;
      pen.fillRect(GUTTER, top, this.width - GUTTER, LANE);
      this.drawRow(pen, row, top);
      pen.restore();
      top += LANE + GAP;
    }
  }

  drawAxis(pen, height) {
    const ticks = evenTicks(this.view[0], this.view[1]);
    pen.textAlign = "center";
    for (const tick of ticks) {
      const x = this.x(tick);
      pen.fillStyle = this.paints.line;
      pen.fillRect(x, AXIS - 6, 1, height);
      pen.fillStyle = this.paints.soft;
      if (x > GUTTER + 16 && x < this.width - 26) pen.fillText(time(tick / 1e6), x, 10 * UNIT);
    }
    pen.textAlign = "left";
  }

  drawRow(pen, row, top) {
    if (row.kind === "path") return this.spans(pen, this.path, top, LANE, (i) => this.pathColour(i), null, (i) => this.pathName(i));
    if (row.kind === "host") {
      this.spans(pen, row.lane, top + 3, LANE - 6, () => COLOURS.host);
      return this.spans(pen, row.lane.waits, top + LANE / 2 - 2, 4, () => COLOURS.launch);
    }
    const lanes = row.kind === "compact" ? row.rank.streams : [row.lane];
    if (row.kind === "compact" || row.lane === row.rank.streams[0]) this.spans(pen, row.rank.exposed.waiting, top, LANE, () => BUBBLE);
    for (const lane of lanes) {
      const thin = row.kind === "compact" && lane.kind === "communication";
      if (thin) continue;
      this.spans(pen, lane, top, LANE, (i) => colour(this.kinds[lane.k[i]].kind), lane, (i) => this.kinds[lane.k[i]].name);
      if (lane.w.length) this.waits(pen, lane, top);
    }
    if (row.kind === "compact") this.spans(pen, row.rank.exposed.moving, top, LANE, () => EXPOSED);
    else if (row.lane.k.some((k) => this.kinds[k].kind === "communication")) {
      this.spans(pen, row.rank.exposed.moving, top + LANE - 4, 4, () => EXPOSED);
      this.spans(pen, row.rank.exposed.waiting, top + LANE - 4, 4, () => BUBBLE);
    }
    return undefined;
  }

  // Pieces that are less than a pixel wide are drawn once a pixel.
  spans(pen, lane, top, height, paint, searched, name) {
    if (!lane) return;
    let drawnTo = -1;
    for (let i = firstAfter(lane.end, this.view[0]); i < lane.begin.length && lane.begin[i] < this.view[1]; i += 1) {
      const from = Math.max(this.x(lane.begin[i]), GUTTER - 2), to = Math.max(from + 0.7, this.x(lane.end[i]));
      if (to < drawnTo + 0.3) continue;
      pen.globalAlpha = searched && this.wanted && !this.fits(searched, i) ? 0.15 : 1;
      pen.fillStyle = paint(i);
      pen.fillRect(from, top, to - from > 3 ? to - from - 0.6 : to - from, height);
      drawnTo = to;
      if (name && to - from > 46 * UNIT && pen.globalAlpha === 1) {
        pen.fillStyle = "#fff";
        pen.save();
        pen.beginPath();
        pen.rect(from, top, to - from - 4, height);
        pen.clip();
        const left = Math.max(from, GUTTER) + 5;
        pen.fillText(shortened(pen, name(i), to - left - 4), left, top + height / 2 + 0.5);
        pen.restore();
      }
      pen.globalAlpha = 1;
    }
  }

  waits(pen, lane, top) {
    for (let i = firstAfter(lane.end, this.view[0]); i < lane.begin.length && lane.begin[i] < this.view[1]; i += 1) {
      if (!lane.w[i]) continue;
      const from = Math.max(this.x(lane.begin[i]), GUTTER), to = this.x(lane.begin[i] + lane.w[i]);
      if (to - from < 0.7) continue;
      pen.fillStyle = BUBBLE;
      pen.fillRect(from, top, to - from, LANE);
    }
  }

  pathColour(i) {
    const part = this.path.parts[this.path.part[i]];
    if (part === "work") return this.path.k[i] < 0 ? COLOURS.other : colour(this.kinds[this.path.k[i]].kind);
    return { host: COLOURS.host, transfer: COLOURS.communication }[part] || COLOURS.launch;
  }
  pathName(i) {
    const part = this.path.parts[this.path.part[i]], name = this.path.k[i] < 0 ? "" : this.kinds[this.path.k[i]].name;
    return { work: name, transfer: name, host: `host code before ${name}`, launch: "launch latency", gap: "gap between kernels" }[part] || "not explained";
  }

  place(lane, i) { return lane.p && lane.p[i] >= 0 ? this.data.places[lane.p[i]] : null; }
  fits(lane, i) {
    const kind = this.kinds[lane.k[i]], place = this.place(lane, i);
    return `${kind.name} ${kind.kind} ${kind.sizes || ""} ${place ? `${place.module} ${place.line}` : ""}`.toLowerCase().includes(this.wanted);
  }
  search(text) {
    this.wanted = text.trim().toLowerCase();
    this.found = [];
    if (this.wanted) for (const rank of this.ranks) for (const lane of rank.streams) lane.k.forEach((_, i) => { if (this.fits(lane, i)) this.found.push([rank, lane, i]); });
    this.found.sort((a, b) => a[1].begin[a[2]] - b[1].begin[b[2]]);
    this.current = -1;
    const total = this.found.reduce((sum, [, lane, i]) => sum + lane.end[i] - lane.begin[i], 0);
    this.matches.textContent = this.wanted ? `${count(this.found.length)} found, ${time(total / 1e6 / this.ranks.length)}${this.ranks.length > 1 ? " a rank" : ""} (Enter: next)` : "";
    this.draw();
  }
  next() {
    if (!this.found.length) return;
    this.current = (this.current + 1) % this.found.length;
    const [rank, lane, i] = this.found[this.current], wide = Math.max(12 * (lane.end[i] - lane.begin[i]), this.length / 400);
    this.show(lane.begin[i] - wide / 2, lane.end[i] + wide / 2);
    this.details.textContent = this.describe(rank, lane, i);
  }

  describe(rank, lane, i) {
    const kind = this.kinds[lane.k[i]], place = this.place(lane, i), lasts = (lane.end[i] - lane.begin[i]) / 1e6;
    const wait = lane.w.length && lane.w[i] ? `\nof it ${time(lane.w[i] / 1e6)} waiting for other ranks` : "";
    const error = kind.uncertainty ? ` \u00b1 ${percent(kind.uncertainty, 0)}` : "";
    return `${kind.name}\n${kind.sizes || ""}\n${time(lasts)} at ${time(lane.begin[i] / 1e6)}, rank ${rank.rank}, ${lane.name}${wait}\n${kind.kind}; duration ${kind.source || ""}${error}`
      + (place ? `\n${place.phase}${place.module ? ` of ${place.module}` : ""}${place.line ? `, ${place.line}` : ""}` : "");
  }

  under(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const row = this.drawn && this.drawn.find((r) => y >= r.top && y < r.top + LANE);
    if (!row || x < GUTTER) return null;
    const at = this.at(x), slack = (this.view[1] - this.view[0]) / this.width;
    const hit = (lane) => { const i = firstAfter(lane.end, at - slack); return i < lane.begin.length && lane.begin[i] <= at + slack ? i : -1; };
    if (row.kind === "path") { const i = hit(this.path); return i < 0 ? null : `critical path: ${this.pathName(i)}\n${time((this.path.end[i] - this.path.begin[i]) / 1e6)}, rank ${this.path.rank[i]}`; }
    if (row.kind === "host") {
      const waits = row.lane.waits, w = waits ? hit(waits) : -1, i = hit(row.lane);
      if (i >= 0) return `host code, ${time((row.lane.end[i] - row.lane.begin[i]) / 1e6)}\nrank ${row.rank.rank}, ${row.lane.name}`;
      return w < 0 ? null : `waits for the device, ${time((waits.end[w] - waits.begin[w]) / 1e6)}`;
    }
    for (const lane of row.kind === "compact" ? row.rank.streams : [row.lane]) { const i = hit(lane); if (i >= 0) return this.describe(row.rank, lane, i); }
    const bubble = hit(row.rank.exposed.waiting);
    return bubble < 0 ? null : `waits for other ranks, ${time((row.rank.exposed.waiting.end[bubble] - row.rank.exposed.waiting.begin[bubble]) / 1e6)}`;
  }

  show(from, to) {
    const wide = Math.min(this.length, Math.max(200, to - from)), begin = Math.max(0, Math.min(from, this.length - wide));
    this.view = [begin, begin + wide];
    this.draw();
  }
  zoom(factor, at = (this.view[0] + this.view[1]) / 2) {
    const [from, to] = this.view;
    this.show(at - (at - from) * factor, at + (to - at) * factor);
  }
  pan(share) {
    const by = share * (this.view[1] - this.view[0]);
    this.show(this.view[0] + by, this.view[1] + by);
  }

  listen() {
    let held = null;
    this.canvas.addEventListener("wheel", (event) => {
      if (!(event.ctrlKey || event.metaKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) return;
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(event.deltaY / 300), this.at(event.offsetX));
      else this.pan((event.deltaX || event.deltaY) / this.width);
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => { held = { x: event.clientX, view: this.view, moved: false }; this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const by = ((held.x - event.clientX) / (this.width - GUTTER)) * (held.view[1] - held.view[0]);
        if (Math.abs(event.clientX - held.x) > 3) { held.moved = true; hideTip(); this.show(held.view[0] + by, held.view[1] + by); }
        return;
      }
      const text = this.under(event);
      if (text) showTip(text, event.clientX, event.clientY); else hideTip();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved) { const text = this.under(event); if (text) this.details.textContent = text; }
      held = null;
    });
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("dblclick", (event) => this.zoom(0.25, this.at(event.offsetX)));
    this.canvas.addEventListener("keydown", (event) => {
      const act = { ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.show(0, this.length) }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
  }
}

// Nothing where not even three letters fit.
function shortened(pen, text, room) {
  const wide = pen.measureText(text).width;
  if (wide <= room) return text;
  const letters = Math.floor((text.length * room) / wide) - 2;
  return letters < 3 ? "" : text.slice(0, letters) + "\u2026";
}

function firstAfter(ends, at) {
  let low = 0, high = ends.length;
  while (low < high) { const mid = (low + high) >> 1; if (ends[mid] <= at) low = mid + 1; else high = mid; }
  return low;
}

function timelineView(data) {
  const holder = el("div"), ranks = data.timeline.ranks.length, left = data.timeline.left_out;
  const used = [...new Set(data.timeline.ranks.flatMap((rank) => rank.lanes.flatMap((lane) => (lane.k || []).map((k) => data.kinds[k].kind))))];
  window.mayaTimeline = new Timeline(data, holder);
  const legend = [...used.map((name) => [colour(name), name]), [EXPOSED, "exposed communication"], [BUBBLE, "waiting for other ranks (bubble)"]]
    .filter(([, name]) => used.includes("communication") || !/exposed|bubble/.test(name));
  return section("", "Timeline of one step",
    "As simulated. Drag to move, Ctrl and the wheel (or + and \u2212) to zoom, double-click to zoom in." + (ranks > 1 ? ` ${ranks} recorded ranks${left ? `, ${left} more are not shown` : ""}; the others do the same.` : ""),
    holder, el("ul", { class: "legend" }, legend.map(([paint, name]) => el("li", {}, el("span", { class: "chip", style: `background:${paint}` }), name))));
}
