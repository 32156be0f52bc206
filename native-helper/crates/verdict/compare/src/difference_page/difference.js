"use strict";
(() => {
  const { names, parents, functions, base, new: now, changes, strengths, unit } = JSON.parse(document.getElementById("data").textContent);
  const SIGNS = { none: "", more: "▲ ", less: "▼ ", new: "✚ ", gone: "✖ " };
  const WORDS = { none: "no significant change", more: "more time", less: "less time", new: "new", gone: "gone" };

  /** With all that is below: a caller always comes before what it calls. */
  function summed(own) {
    const total = own.slice();
    for (let node = total.length - 1; node > 0; node--) total[parents[node]] += total[node];
    return total;
  }
  const before = summed(base);
  const after = summed(now);
  const vanished = document.getElementById("vanished");
  const showsVanished = () => vanished.getAttribute("aria-pressed") === "true";
  /** As wide as it is after; what is gone as wide as it was, where it is shown. */
  const widths = () => (showsVanished() ? summed(now.map((value, node) => (after[node] > 0 ? value : base[node]))) : after);

  const figure = (value) => `${value >= 0.1 || value === 0 ? value.toFixed(1) : value.toPrecision(1)} ${unit}`;
  const nameOf = (node) => names[functions[node]];
  function changeOf(node) {
    const change = before[node] > 0 && after[node] > 0 ? (after[node] / before[node] - 1) * 100 : undefined;
    const percent = change === undefined ? "" : ` ${change > 0 ? "+" : ""}${change.toFixed(1)} %`;
    return `${SIGNS[changes[node]]}${WORDS[changes[node]]}${percent}`;
  }
  const graph = flameGraph({
    parents,
    nameOf,
    labelOf: (node) => SIGNS[changes[node]] + nameOf(node),
    textOf: (node) => `${nameOf(node)}: ${figure(before[node])} before, ${figure(after[node])} after, ${changeOf(node)}`,
    classOf: (node) => `${changes[node]} s${strengths[node]}`,
    foundText: (share) => `${(100 * share).toFixed(1)} % of the width in what matches`,
  });
  graph.setWidths(widths());
  vanished.addEventListener("click", () => {
    vanished.setAttribute("aria-pressed", String(!showsVanished()));
    graph.setWidths(widths());
  });
  for (const button of document.querySelectorAll(".find")) button.addEventListener("click", () => graph.find(button.textContent));
})();
