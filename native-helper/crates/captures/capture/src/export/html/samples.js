"use strict";
(() => {
  const { names, kinds, parents, functions, self, unit, of } = JSON.parse(document.getElementById("data").textContent);
  const total = self.slice();
  // A caller always comes before what it calls.
  for (let node = total.length - 1; node > 0; node--) total[parents[node]] += total[node];
  const percent = (part, whole) => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`;
  const nameOf = (node) => names[functions[node]];
  const textOf = (node) => `${nameOf(node)}: ${total[node].toLocaleString("en")} ${unit}, ${percent(total[node], total[0])} of ${of}, itself ${percent(self[node], total[0])}`;
  flameGraph({
    parents,
    nameOf,
    labelOf: nameOf,
    textOf,
    classOf: (node) => kinds[functions[node]] || "marker",
    foundText: (share) => `${percent(share, 1)} of ${of} in what matches`,
  }).setWidths(total);
})();
