"use strict";
function flameGraph({ parents, nameOf, labelOf, textOf, classOf, foundText }) {
  const graph = document.getElementById("graph");
  const status = document.getElementById("status");
  const search = document.getElementById("search");
  const ROW = 18;
  const LEAST_PX = 0.5;
  const count = parents.length;
  const depth = new Array(count).fill(0);
  const children = Array.from({ length: count }, () => []);
  // A caller always comes before what it calls.
  for (let node = 1; node < count; node++) {
    depth[node] = depth[parents[node]] + 1;
    children[parents[node]].push(node);
  }
  let widths = [];
  let top = 0;
  let focused = 0;
  let wanted = "";
  /** Elements of the nodes on screen. */
  let shown = new Map();

  const matches = (node) => wanted !== "" && nameOf(node).toLowerCase().includes(wanted);

  /** Callers of the node at the top, outermost first. */
  function callers() {
    const path = [];
    for (let node = top; node !== 0; node = parents[node]) path.push(parents[node]);
    return path.reverse();
  }

  function draw() {
    const width = graph.clientWidth;
    const above = callers();
    const elements = [];
    shown = new Map();
    let rows = above.length + 1;
    const put = (node, left, wide, row) => {
      const element = document.createElement("div");
      element.className = `frame ${classOf(node)}${matches(node) ? " match" : ""}`;
      element.style.left = `${left}px`;
      element.style.width = `${Math.max(wide, 1)}px`;
      element.style.top = `${row * ROW}px`;
      if (wide > 20) element.textContent = labelOf(node);
      element.title = textOf(node);
      element.setAttribute("role", "treeitem");
      element.setAttribute("aria-level", String(depth[node] + 1));
      element.setAttribute("aria-label", textOf(node));
      element.tabIndex = -1;
      element.dataset.node = String(node);
      shown.set(node, element);
      elements.push(element);
    };
    above.forEach((node, row) => put(node, 0, width, row));
    const open = [[top, 0, width, above.length]];
    while (open.length > 0) {
      const [node, left, wide, row] = open.pop();
      put(node, left, wide, row);
      rows = Math.max(rows, row + 1);
      let at = left;
      for (const child of children[node]) {
        const part = (wide * widths[child]) / widths[node];
        // The rest is smaller still, or there is nothing at all.
        if (!(part >= LEAST_PX)) break;
        open.push([child, at, part, row + 1]);
        at += part;
      }
    }
    graph.style.height = `${rows * ROW}px`;
    graph.replaceChildren(...elements);
    if (!shown.has(focused)) focused = top;
    shown.get(focused).tabIndex = 0;
  }

  function focus(node) {
    if (!shown.has(node)) return;
    shown.get(focused).tabIndex = -1;
    focused = node;
    shown.get(node).tabIndex = 0;
    shown.get(node).focus();
    status.textContent = textOf(node);
  }

  function zoom(node) {
    top = node;
    focused = node;
    draw();
    focus(node);
  }

  function beside(node, step) {
    const list = node === 0 ? [0] : children[parents[node]];
    return list[list.indexOf(node) + step];
  }

  function nextMatch(step) {
    const found = [];
    for (const node of shown.keys()) if (matches(node)) found.push(node);
    found.sort((a, b) => depth[a] - depth[b] || a - b);
    if (found.length === 0) return;
    const at = found.indexOf(focused);
    focus(found[(at < 0 ? (step > 0 ? 0 : found.length - 1) : at + step + found.length) % found.length]);
  }

  const nodeOf = (event) => {
    const element = event.target.closest(".frame");
    return element ? Number(element.dataset.node) : undefined;
  };
  graph.addEventListener("click", (event) => {
    const node = nodeOf(event);
    if (node !== undefined) zoom(node);
  });
  graph.addEventListener("mouseover", (event) => {
    const node = nodeOf(event);
    if (node !== undefined) status.textContent = textOf(node);
  });
  graph.addEventListener("keydown", (event) => {
    const moves = {
      ArrowUp: () => focus(focused === 0 ? 0 : parents[focused]),
      ArrowDown: () => children[focused].length > 0 && focus(children[focused][0]),
      ArrowLeft: () => focus(beside(focused, -1)),
      ArrowRight: () => focus(beside(focused, 1)),
      Home: () => focus(0),
      Enter: () => zoom(focused),
      " ": () => zoom(focused),
      Escape: () => zoom(0),
      Backspace: () => zoom(top === 0 ? 0 : parents[top]),
      n: () => nextMatch(1),
      N: () => nextMatch(-1),
      "/": () => search.focus(),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  });
  function find() {
    wanted = search.value.trim().toLowerCase();
    // A frame below another that matches is in that one's time already.
    let found = 0;
    const inside = new Uint8Array(count);
    for (let node = 1; node < count; node++) {
      if (inside[parents[node]]) inside[node] = 1;
      else if (matches(node)) {
        inside[node] = 1;
        found += widths[node];
      }
    }
    draw();
    status.textContent = wanted === "" ? "" : foundText(widths[0] > 0 ? found / widths[0] : 0);
  }
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextMatch(1);
    if (event.key === "Escape") focus(focused);
  });
  document.getElementById("out").addEventListener("click", () => zoom(0));
  addEventListener("resize", draw);
  return {
    setWidths(next) {
      widths = next;
      for (const list of children) list.sort((a, b) => widths[b] - widths[a]);
      // What was zoomed to may have no width now.
      while (top !== 0 && !(widths[top] > 0)) top = parents[top];
      if (wanted === "") draw();
      else find();
    },
    find(text) {
      search.value = text;
      find();
    },
  };
}
