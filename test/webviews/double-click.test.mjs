// A double click on a row of a table that is drawn anew each second, as that of a capture that goes on.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { bundled, clock, startPanelPages } from "./panel-page.mjs";

const DEMO = readFileSync(new URL("../unit/capture/fixtures/demo.pb.gz", import.meta.url));
const WANTED = "demo_stock:take/1";

describe("double clicks on a live table", () => {
  /** @type {Awaited<ReturnType<typeof startPanelPages>>} */
  let pages;
  /** @type {any} */
  let sessions;
  /** @type {any} */
  let model;
  before(async () => {
    [pages, sessions, model] = await Promise.all([
      startPanelPages("top"),
      bundled("extension/src/panels/top/top-session.ts"),
      bundled("extension/src/capture/capture-model.ts"),
    ]);
  });
  after(() => pages.stop());

  test("rows that come while a button is down, or between the two clicks, take neither from the row", async () => {
    const capture = model.decodeCapture(DEMO);
    /** @type {(message: unknown) => Promise<void>} */
    let tell = async () => {};
    /** @type {any} */
    let rows;
    const session = new sessions.TopSession({
      ...clock,
      texts: { remark: () => "" },
      current: () => ({
        capture,
        title: "demo@host, 14:03",
        live: true,
        uri: "file:///demo.pb.gz",
        attribution: "self",
        percentOf: "busy",
        originOf: () => undefined,
      }),
      post: (/** @type {any} */ message) => {
        if (message.type === "rows") rows = message;
        void tell(message);
      },
      problem: (/** @type {unknown} */ error) => assert.fail(String(error)),
    });
    const { page, of } = await pages.open({
      host: (message, toPage) => {
        tell = toPage;
        session.receive(message);
      },
    });
    const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
    await page.locator("vscode-textfield input").first().fill("demo_stock:take");
    // On the text, not beside it.
    await page.locator(".grid-body .grid-row", { hasText: WANTED }).locator("[data-column=name] .name").hover();
    for (const clickCount of [1, 2]) {
      await page.mouse.down({ clickCount });
      await tell(rows);
      await drawn();
      await page.mouse.up({ clickCount });
      await tell(rows);
      await drawn();
    }
    await until("the request", () => of("openSource").length > 0);
    assert.deepEqual(
      of("openSource").map(({ functionIndex }) => functionIndex),
      [capture.functionNamed(WANTED)],
    );
    await page.close();
  });
});
