// The function that is selected in one page of a capture is marked in the others.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { CaptureSession } from "../../../extension/src/panels/capture-panel/capture-session.js";
import type { ShownCapture } from "../../../extension/src/panels/capture-panel/shown-capture.js";
import { FLAME_TEXTS } from "../../flame-texts.mjs";
import { handClock } from "./hand-clock.js";

type Posted = { readonly type: "data" } | { readonly type: "mark"; readonly functionIndex: number };

class Page extends CaptureSession<"ready" | number, Posted> {
  override receive(message: "ready" | number): void {
    if (message === "ready") this.pageReady();
    else this.select(message);
  }

  protected override build(): void {
    this.host.post({ type: "data" });
  }

  protected override mark(functionIndex: number): void {
    this.host.post({ type: "mark", functionIndex });
  }
}

/** Those of the test that runs: pages in sight share the time that refreshes may take. */
const pages: Page[] = [];
afterEach(() => {
  for (const page of pages.splice(0)) page.dispose();
});

/** Makes pages of one capture. */
function views() {
  let index: number | undefined;
  const clock = handClock();
  return () => {
    const posted: (string | number)[] = [];
    const page = new Page({
      nowMs: clock.nowMs,
      later: clock.later,
      texts: FLAME_TEXTS,
      current: () =>
        ({ capture: { totals: { samples: 1 }, facts: {} }, uri: "file:///shop.pb.gz" }) as unknown as ShownCapture,
      post: (message) => {
        if (message.type === "mark") posted.push(message.functionIndex);
        else if (message.type === "data") posted.push("data");
      },
      problem: (error) => assert.fail(String(error)),
      selected: {
        current: () => index,
        select: (functionIndex) => {
          if (functionIndex === index) return;
          index = functionIndex;
          for (const each of pages) each.selectionChanged();
        },
      },
    });
    pages.push(page);
    return { page, posted };
  };
}

test("a function that is selected in one page is marked in the others at once, and not in the page itself", () => {
  const view = views();
  const [graph, table] = [view(), view()];
  for (const { page } of [graph, table]) page.receive("ready");
  graph.page.receive(3);
  assert.deepEqual([graph.posted, table.posted], [["data"], ["data", 3]]);
  // The page answers a mark with the row that it has selected.
  table.page.receive(3);
  table.page.receive(5);
  assert.deepEqual(
    [graph.posted, table.posted],
    [
      ["data", 5],
      ["data", 3],
    ],
  );
  graph.page.receive(-1);
  assert.deepEqual(table.posted, ["data", 3], "a row that is no function changes nothing");
});

test("a page that opens later, or comes back, has the mark after its data", () => {
  const view = views();
  const graph = view();
  graph.page.receive("ready");
  graph.page.receive(3);
  const table = view();
  assert.deepEqual(table.posted, []);
  table.page.receive("ready");
  assert.deepEqual(table.posted, ["data", 3]);
  table.page.setVisible(false);
  graph.page.receive(7);
  assert.deepEqual(table.posted, ["data", 3], "a hidden page would lose it");
  table.page.setVisible(true);
  table.page.receive("ready");
  assert.deepEqual(
    table.posted.slice(2).filter((message) => message !== "data"),
    [7],
  );
  assert.equal(table.posted.at(-1), 7);
});
