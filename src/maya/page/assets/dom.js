// Elements from data. Texts go in as text: nothing that a program printed or was called is markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") node.style.cssText = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "") continue;
    node.append(child);
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Labels stay as large as the text around them, however wide the picture is drawn.
const pictures = new ResizeObserver((changes) => {
  for (const { target, contentRect } of changes)
    if (contentRect.width) target.style.setProperty("--unit", target.viewBox.baseVal.width / contentRect.width);
});
function watchPictures(place) {
  for (const picture of place.querySelectorAll("svg[viewBox]")) pictures.observe(picture);
}

function section(kind, title, lead, ...children) {
  const id = "s-" + title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return el("section", { class: kind, "aria-labelledby": id },
    el("h2", { id }, title), lead ? el("p", { class: "lead" }, lead) : null, ...children);
}

// One of several views; arrow keys move between the tabs.
function tabs(label, views) {
  const names = Object.keys(views);
  const holder = el("div", { role: "tabpanel" });
  const buttons = names.map((name) => el("button", { role: "tab", type: "button", onclick: () => show(name) }, name));
  function show(name) {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", names[i] === name);
      button.tabIndex = names[i] === name ? 0 : -1;
    });
    holder.replaceChildren(views[name]());
  }
  const bar = el("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[at].focus();
    show(names[at]);
  } }, buttons);
  show(names[0]);
  return el("div", {}, names.length > 1 ? bar : null, holder);
}

// A line of text that follows the pointer, or a focused element.
const tip = { node: null };
function showTip(text, x, y) {
  if (!tip.node) document.body.append((tip.node = el("div", { class: "tip", role: "status" })));
  tip.node.textContent = text;
  tip.node.hidden = false;
  const box = tip.node.getBoundingClientRect();
  tip.node.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
  tip.node.style.top = (y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18) + "px";
}
function hideTip() {
  if (tip.node) tip.node.hidden = true;
}
function withTip(node, text) {
  node.addEventListener("pointermove", (event) => showTip(text, event.clientX, event.clientY));
  node.addEventListener("pointerleave", hideTip);
  node.addEventListener("focus", () => {
    const box = node.getBoundingClientRect();
    showTip(text, box.left, box.top);
  });
  node.addEventListener("blur", hideTip);
  return node;
}
