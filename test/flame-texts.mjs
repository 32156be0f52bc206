// What tests have a flame graph's session say where the editor's own texts would be.

/** @type {import("../extension/src/panels/flame-graph/flame-session.js").FlameTexts} */
export const FLAME_TEXTS = {
  noCapture: "no capture",
  noSamples: "no samples",
  noSamplesYet: "not yet",
  noSamplesLeft: "none left",
  noMatch: "no match",
  groupName: (groupBy, value) => `${groupBy} ${value}`,
  notShown: (name) => `not shown: ${name}`,
  failed: (reason) => `failed: ${reason}`,
  remark: () => "",
};
