// The flame graph's page in Chromium, with makers of data in it and a host that only records its messages.
import { servePages } from "./panel-page.mjs";
import { flameFromFolded, syntheticFlame } from "./flame-sources.mjs";

/** In the page before its script: makers of data. */
const MAKERS = `
  window.DEFAULT_OPTIONS = { inverted: false, hideNative: false, hideKernel: false, collapseRecursion: true, groupBy: "none" };
  window.flameFromFolded = ${flameFromFolded.toString()};
  window.syntheticFlame = ${syntheticFlame.toString()};
  window.tell = (message) => window.postMessage(message, "*");
  window.painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))));
  window.tellData = async (data, more = {}) => {
    window.tell({ type: "data", data, title: "demo@host", live: false, isCut: false, unit: "samples", allSamples: data.totalSamples, uri: "file:///demo.pb.gz", builtWith: { options: DEFAULT_OPTIONS, filter: {}, revision: 0 }, ...more });
    await window.painted();
  };
`;

export async function startFlamePages() {
  const pages = await servePages("flame-graph");
  return {
    /**
     * @param {{theme?: string, reducedMotion?: boolean, width?: number, height?: number, state?: object, variables?: Record<string, string>,
     *   onMessage?: (message: import("../../contract/messages/flame-graph.js").ToHost, page: import("playwright-core").Page) => void}} [options]
     */
    open({ width = 1280, height = 800, ...options } = {}) {
      return pages.open({ ...options, width, height, script: MAKERS });
    },
    stop: pages.stop,
  };
}
