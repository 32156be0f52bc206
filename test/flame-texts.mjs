// The texts that a flame graph's session shows in tests, in place of the editor's own.

/** @type {import("../extension/src/panels/flame-graph/flame-session.js").FlameTexts} */
export const FLAME_TEXTS = {
  noCapture: "no capture",
  noSamples: () => "no samples",
  noSamplesYet: () => "not yet",
  noSamplesLeft: "none left",
  noMatch: "no match",
  groupName: (groupBy, value) => `${groupBy} ${value}`,
  notShown: (name) => `not shown: ${name}`,
  failed: (reason) => `failed: ${reason}`,
  remark: () => "",
};
