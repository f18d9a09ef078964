// Axes for scatter plots, even or logarithmic, with round ticks.
function axis(values, begin, end, log) {
  const real = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  let low = Math.min(...real), high = Math.max(...real);
  if (low === high) { low = log ? low / 2 : low - Math.abs(low || 1) * 0.1; high = log ? high * 2 : high + Math.abs(high || 1) * 0.1; }
  const bend = log ? Math.log10 : (v) => v;
  const room = 0.05 * (bend(high) - bend(low));
  const least = bend(low) - room, most = bend(high) + room;
  const at = (v) => begin + ((bend(v) - least) / (most - least)) * (end - begin);
  return { at, log, ticks: log ? logTicks(least, most) : evenTicks(least, most) };
}
function evenTicks(least, most) {
  const raw = (most - least) / 6, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((d) => d * power).find((s) => s >= raw);
  const found = [];
  for (let i = Math.ceil(least / step); i * step <= most; i += 1) found.push(Number((i * step).toPrecision(12)));
  return found;
}
function logTicks(least, most) {
  const all = [[1], [1, 2, 5], [1, 2, 3, 4, 5, 7], [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]].map((digits) => logTicksOf(digits, least, most));
  return all.find((ticks) => ticks.length > 2) || all[all.length - 1];
}
function logTicksOf(digits, least, most) {
  const found = [];
  for (let power = Math.floor(least); power <= most; power += 1)
    for (const digit of digits) {
      const value = digit * 10 ** power;
      if (Math.log10(value) >= least && Math.log10(value) <= most) found.push(value);
    }
  return found;
}
function grid(x, y, frame, names) {
  return [
    ...x.ticks.map((v) => [svg("line", { class: "grid", x1: x.at(v), x2: x.at(v), y1: frame.top, y2: frame.bottom }),
      svg("text", { x: x.at(v), y: frame.bottom + 18, "text-anchor": "middle" }, names.xTick(v))]),
    ...y.ticks.map((v) => [svg("line", { class: "grid", y1: y.at(v), y2: y.at(v), x1: frame.left, x2: frame.right }),
      svg("text", { x: frame.left - 8, y: y.at(v) + 4, "text-anchor": "end" }, names.yTick(v))]),
    svg("text", { x: (frame.left + frame.right) / 2, y: frame.bottom + 40, "text-anchor": "middle" }, names.x),
    svg("text", { x: frame.left, y: frame.top - 10 }, names.y),
  ];
}
function dot(at, text, attributes) {
  return withTip(svg("circle", { class: "dot", cx: at[0], cy: at[1], tabindex: "0", role: "img", "aria-label": text.replace(/\n/g, ", "), ...attributes }), text);
}
