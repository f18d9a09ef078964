// A table that can be sorted by any column and searched; long ones show their first rows.
// columns: {name, value(row), show(row), words, title}
function sortedTable(label, columns, rows, options = {}) {
  const shown = options.shown || 40;
  let by = options.by ?? null, descending = true, wanted = "", all = false;
  const body = el("tbody"), note = el("p", { class: "small", "aria-live": "polite" });
  const heads = columns.map((column, i) => el("th", { class: column.words ? "words" : null, scope: "col", title: column.title },
    el("button", { type: "button", onclick: () => { descending = by === i ? !descending : !column.words; by = i; draw(); } }, column.name)));
  const texts = rows.map((row) => columns.filter((c) => c.words).map((c) => String(c.value(row))).join(" ").toLowerCase());
  function chosen() {
    let found = rows.map((row, i) => [row, texts[i]]).filter(([, text]) => wanted.split(/\s+/).every((word) => text.includes(word))).map(([row]) => row);
    if (by !== null) {
      const value = columns[by].value, sign = descending ? -1 : 1;
      found = found.slice().sort((a, b) => {
        const x = value(a), y = value(b);
        return sign * (typeof x === "string" ? x.localeCompare(y) : (x ?? -Infinity) - (y ?? -Infinity));
      });
    }
    return found;
  }
  function draw() {
    const found = chosen();
    heads.forEach((head, i) => (i === by ? head.setAttribute("aria-sort", descending ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    body.replaceChildren(...found.slice(0, all ? found.length : shown).map((row) =>
      el("tr", {}, columns.map((column) => el("td", { class: column.words ? "words" : null }, (column.show || column.value)(row))))));
    const hidden = all ? 0 : Math.max(0, found.length - shown);
    note.hidden = found.length === rows.length && !hidden;
    note.replaceChildren(hidden ? `${count(shown)} of ${count(found.length)} rows` : `${count(found.length)} of ${count(rows.length)} rows`, hidden ? el("button", {
      type: "button", class: "tool", style: "margin-left:.6rem", onclick: () => { all = true; draw(); } }, `show ${count(hidden)} more`) : "");
  }
  draw();
  const search = options.search === false || rows.length < 8 ? null : el("div", { class: "bar-tools" }, el("input", {
    type: "search", placeholder: options.search || "search", "aria-label": `search ${label}`,
    oninput: (event) => { wanted = event.target.value.trim().toLowerCase(); draw(); } }));
  return el("div", {}, search, el("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": label },
    el("table", {}, el("caption", { style: "position:absolute;clip-path:inset(50%)" }, label), el("thead", {}, el("tr", {}, heads)), body)), note);
}
