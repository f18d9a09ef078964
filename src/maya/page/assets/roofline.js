// How fast kernels are, against what the GPU can do: the further below the line, the more is left.
function roofline(data) {
  const totals = data.kernels.map((row) => ({ ...row, ...data.kinds[row.k] })).filter((row) => row.flops && row.bytes && row.calls);
  if (totals.length < 2) return null;
  const points = totals.map((row) => ({ ...row, x: row.flops / row.bytes, y: (row.flops * row.calls) / (row.ms / 1000) }));
  const peaks = Object.entries(data.roof.flops).filter(([name]) => ["bf16", "fp16", "tf32", "fp32"].includes(name) || points.some((p) => (p.sizes || "").includes(name))).sort((a, b) => b[1] - a[1]);
  const best = Math.max(...points.map((p) => p.y));
  const drawn = peaks.filter(([, flops], i) => flops > best / 40 || i === 0).filter(([, flops], i, list) => i === 0 || flops < list[i - 1][1] * 0.9);
  const frame = { left: 84, right: 880, top: 32, bottom: 380 };
  const x = axis([...points.map((p) => p.x), drawn[0][1] / data.roof.bandwidth], frame.left, frame.right, true);
  const y = axis([...points.map((p) => p.y), drawn[0][1] * 1.2], frame.bottom, frame.top, true);
  const leftmost = Math.min(...points.map((p) => p.x)) * 0.7;
  const roofs = drawn.map(([name, flops]) => {
    const corner = flops / data.roof.bandwidth;
    return svg("g", {}, svg("line", { class: "axis", x1: Math.max(frame.left, x.at(corner)), x2: frame.right, y1: y.at(flops), y2: y.at(flops) }),
      svg("text", { x: frame.right - 4, y: y.at(flops) - 6, "text-anchor": "end" }, `${name} peak ${rate(flops, "FLOP/s")}`));
  });
  const corner = drawn[0][1] / data.roof.bandwidth;
  const slope = svg("line", { class: "axis", "clip-path": "url(#roof-clip)", x1: x.at(leftmost), y1: y.at(leftmost * data.roof.bandwidth), x2: x.at(corner), y2: y.at(drawn[0][1]) });
  const longest = Math.max(...points.map((p) => p.ms));
  const dots = points.slice().sort((a, b) => b.ms - a.ms).map((p) => {
    const limit = Math.min(drawn[0][1], p.x * data.roof.bandwidth);
    return dot([x.at(p.x), y.at(p.y)], `${p.name}\n${p.sizes || ""}\n${time(p.ms)} a step in ${count(p.calls)} calls\n${rate(p.y, "FLOP/s")}, ${percent(p.y / limit, 0)} of what its bound allows`,
      { r: 4 + 14 * Math.sqrt(p.ms / longest), fill: colour(p.kind), "fill-opacity": 0.65, stroke: colour(p.kind) });
  });
  return section("", "Roofline", "Kernels that compute: operations for each byte they move, and how fast they go. Large dots take most of the step; the lines are what the GPU can do.",
    svg("svg", { viewBox: "0 0 900 430", role: "group", "aria-label": "roofline of kernels; the table of kernels has the same figures" },
      svg("clipPath", { id: "roof-clip" }, svg("rect", { x: frame.left, y: frame.top, width: frame.right - frame.left, height: frame.bottom - frame.top })),
      grid(x, y, frame, { x: "FLOP per byte", y: "FLOP per second", xTick: (v) => String(Number(v.toPrecision(2))), yTick: (v) => rate(v, "") }), slope, roofs, dots),
    el("ul", { class: "legend" }, [...new Set(points.map((p) => p.kind))].map((name) => el("li", {}, chip(name), name))));
}
