// Every page in another language than the sources': all words come from the host.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { isNightly } from "../nightly.mjs";
import { assertAccessible, bundled, clock, screenshot, startPanelPages } from "./panel-page.mjs";

/** @typedef {import("playwright-core").Page} Page */

const DEMO = readFileSync(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const INSIDE = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/inside.json.gz", import.meta.url))).toString());
const STACKS = JSON.parse(readFileSync(new URL("./fixtures/pstack.json", import.meta.url), "utf8"));
const MEMORY = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/memory.json.gz", import.meta.url))).toString());
/** @type {Record<string, string>} */
const GERMAN = JSON.parse(readFileSync(new URL("../../l10n/bundle.l10n.de.json", import.meta.url), "utf8"));
const HISTORY = JSON.parse(gunzipSync(readFileSync(new URL("./fixtures/history.json.gz", import.meta.url))).toString());
const HEAD = { pid: 4711, node: "shop@localhost", name: "shop@localhost", otp: "27", flavor: "jit", host: "" };
const ENGLISH_WORDS = /(?<![\w-])(the|of|with|is|are|all|and|to|samples? taken)(?![\w-])/i;

describe("pages in German", () => {
  /** @type {any} */
  let host;
  before(async () => {
    const panels = "extension/src/panels";
    host = await bundled(
      "extension/src/capture/capture-model.ts",
      `${panels}/blame/blame-session.ts`,
      `${panels}/top/top-session.ts`,
      `${panels}/flame-graph/flame-session.ts`,
      `${panels}/stacks/stacks-session.ts`,
      `${panels}/memory/memory-session.ts`,
      `${panels}/processes/processes-session.ts`,
      `${panels}/history/history-session.ts`,
      `${panels}/history/shown-history.ts`,
    );
  });

  /** @param {object} around */
  const captureSession = (around) => ({
    ...clock,
    texts: { remark: () => "" },
    current: () => ({
      capture: host.decodeCapture(DEMO),
      title: "demo@host, 14:03",
      live: true,
      uri: "file:///demo.pb.gz",
      attribution: "self",
      percentOf: "busy",
      originOf: () => undefined,
    }),
    problem: (/** @type {unknown} */ error) => assert.fail(String(error)),
    notice: assert.fail,
    debug: () => {},
    ...around,
  });
  /**
   * Name of the page, the element that it waits for, its text, and its session.
   * @type {[string, string, RegExp, (around: object) => any][]}
   */
  const PAGES = [
    [
      "blame",
      ".grid-body .grid-row",
      /Native Funktion oder Gruppe.*[\d,]+\s% der aktiven/s,
      (around) => {
        const session = new host.BlameSession(captureSession(around));
        session.ask({ query: "copy" });
        return session;
      },
    ],
    [
      "top",
      ".grid-body .grid-row",
      /\d+ Funktionen · 100 % sind [\d.]+ aktive Samples/,
      (around) => new host.TopSession(captureSession(around)),
    ],
    [
      "flame-graph",
      "canvas:not(.track-canvas)",
      /live.*[\d.]+ Samples.*Aufrufer und Aufgerufene/s,
      (around) => new host.FlameSession(captureSession(around)),
    ],
    [
      "stacks",
      ".card",
      /\d+ Threads, \d+ untätig/,
      (around) => {
        const session = new host.StacksSession({
          source: { stacks: () => Promise.resolve(STACKS) },
          texts: { noTarget: "" },
          targetName: () => "shop@localhost",
          canceller: () => ({ token: { isCancellationRequested: false }, cancel: () => {}, dispose: () => {} }),
          nowUnixMs: () => 1_700_000_000_000,
          debug: () => {},
          ...around,
        });
        session.show(4711);
        return session;
      },
    ],
    [
      "memory",
      ".picture-row",
      /Läuft seit\s+5 Tage, 4 Stunden.*ein Snapshot kostet [\d,]+ ms CPU-Zeit.*binary_alloc ist fragmentiert: [\d,]+ MB.*Was die VM zählt/s,
      (around) => {
        const session = new host.MemorySession({
          nowUnixMs: () => 1_700_000_000_000,
          later: () => () => {},
          head: () => HEAD,
          kept: () => null,
          problem: (/** @type {unknown} */ error) => assert.fail(String(error)),
          ...around,
        });
        session.show({ memory: async () => MEMORY.memory, node: async () => MEMORY.node, close: () => {} });
        return session;
      },
    ],
    [
      "processes",
      ".grid-body .grid-row",
      /OTP 27 mit JIT.*242 Prozesse · \d+ auffällig · gelesen um .* · jede Sekunde/s,
      (around) => {
        const session = new host.ProcessesSession({
          texts: {},
          later: () => () => {},
          nowMs: () => performance.now(),
          nowUnixMs: () => 1_700_000_000_000,
          alarms: () => ({ mailbox: 15, memory: null }),
          head: () => HEAD,
          problem: async (/** @type {unknown} */ error) => assert.fail(String(error)),
          ...around,
        });
        session.show({
          place: { pid: 4711, host: undefined },
          processes: async (/** @type {any} */ { first, limit }) => ({
            ...INSIDE.looks[0],
            lines: INSIDE.looks[0].lines.slice(first, first + limit),
          }),
          node: async () => INSIDE.node,
          heap: async () => Object.values(INSIDE.heaps)[0],
          close: () => {},
        });
        return session;
      },
    ],
    [
      "history",
      ".dot",
      /10 Commits, 20 Aufnahmen.*Die Aufnahmen zeigen keinen Sprung.*Läufe liegen um [\d,]+\s?% auseinander/s,
      (around) =>
        new host.HistorySession({
          made: async () => ({
            type: "history",
            history: host.shownHistory(
              HISTORY,
              [],
              {
                order: HISTORY.commits.map((/** @type {any} */ { commit }) => commit),
                subjects: new Map(),
                made: new Map(),
              },
              { t: (/** @type {string} */ text) => text },
            ),
            functions: [],
          }),
          problem: (/** @type {unknown} */ error) => assert.fail(String(error)),
          ...around,
        }),
    ],
  ];

  // By day the page with the most words of the host.
  for (const [name, wanted, said, makeSession] of PAGES.filter(([name]) => isNightly || name === "memory")) {
    test(`${name}: words and figures are German, and no English is left`, async () => {
      const pages = await startPanelPages(name, "de");
      try {
        /** @type {(message: unknown) => Promise<void>} */
        let tell = async () => {};
        const session = makeSession({ post: (/** @type {unknown} */ message) => void tell(message) });
        const { page, problems } = await pages.open({
          host: (message, toPage) => {
            tell = toPage;
            session.receive(message);
          },
        });
        await page.locator(wanted).first().waitFor();
        assert.equal(await page.locator("html").getAttribute("lang"), "de");
        assert.match(await page.locator("body").innerText(), said);
        const texts = await textsOf(page);
        assert.ok(texts.length > 20, `only ${texts.length} texts`);
        // Names of functions and texts that are the same in both languages aside.
        assert.deepEqual(
          texts.filter((text) => (GERMAN[text] ?? text) !== text || ENGLISH_WORDS.test(text)),
          [],
        );
        await assertAccessible(page);
        await screenshot(page, `${name}-german`);
        assert.deepEqual(problems, []);
        session.dispose();
      } finally {
        await pages.stop();
      }
    });
  }
});

/** All texts of a page, for the eye or for a screen reader. @param {Page} page @returns {Promise<string[]>} */
function textsOf(page) {
  return page.evaluate(() => {
    const said = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node instanceof Element ? node : node.parentElement;
      // Names of a capture are in elements of their own.
      if (element?.closest("bdi, .tree-name, .details-name")) continue;
      if (node instanceof Text) said.add(node.data.trim());
      else if (node instanceof HTMLElement) {
        for (const attribute of ["title", "aria-label", "placeholder", "label"])
          said.add(node.getAttribute(attribute)?.trim() ?? "");
        if (node.localName.startsWith("vscode-"))
          for (const property of ["label", "placeholder"]) said.add(String(Reflect.get(node, property) ?? ""));
      }
    }
    said.delete("");
    return [...said];
  });
}
