// A RabbitMQ broker with a consumer that does not read its socket: a user's conclusions from the panels have to be
// true.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { helperJson } from "../e2e/helper.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { startStuckConsumer } from "../vms/rabbitmq-stuck.mjs";
import { search } from "./flame-page.mjs";
import { scene } from "./scene.mjs";
import { chooseFromMenu, chooseTheme, inputBox, pickVm, typeIntoInput, webview } from "./workbench.mjs";

const QUESTION = "Seconds to watch";

describe("a broker with a stuck consumer", () => {
  /** @type {(() => unknown)[]} */
  const undo = [];
  /** @type {import("../vms/rabbitmq.mjs").Broker} */
  let broker;
  /** The port that takes no further data, and its owner. @type {{port: string, owner: string}} */
  let busy;
  before(async () => {
    ({ broker } = await startStuckConsumer({ after: (one) => undo.push(one) }, await prepareOtp("25"), "unread"));
    busy = await until("its socket is full", async () =>
      (await helperJson(["node", broker.pid])).port_queues.longest.find((/** @type {any} */ port) => port.busy),
    );
  });
  after(async () => {
    for (const one of undo.reverse()) await one();
  });
  const here = scene({ viewport: { width: 1600, height: 950 } });
  const { step } = here;
  const page = () => webview(here.editor.page);
  const rows = () => page().locator(".grid-body .grid-row");
  /** The cells of the rows in sight, by their columns. @returns {Promise<Record<string, string>[]>} */
  const cells = () =>
    rows().evaluateAll((all) =>
      all.map((row) =>
        Object.fromEntries(
          [...row.children].map((cell) => [
            cell.getAttribute("data-column"),
            /** @type {HTMLElement} */ (cell).innerText.trim(),
          ]),
        ),
      ),
    );

  step("the header shows one busy port, and its owner", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row(String(broker.pid));
    await row.waitFor();
    await chooseFromMenu(editor, row, "Processes", { leadsTo: editor.tab("Processes") });
    await rows().first().waitFor();
    await until("a busy port", async () =>
      (await page().locator(".node-figures").innerText())
        .replaceAll(/\s+/g, " ")
        .includes(`1 port is busy: ${busy.owner}`),
    );
    await page().locator("vscode-textfield input").fill("rabbit_reader");
    await until("its owner reads from a connection", async () => (await cells()).some(({ pid }) => pid === busy.owner));
  });

  step("only the writer of that connection is suspended, and it has the longest mailbox", async () => {
    const { editor } = here;
    await page().locator("vscode-textfield input").fill("");
    await page().locator(".grid-head").getByRole("button", { name: "Mailbox" }).click();
    await until("the writer on top", async () => /rabbit_writer/.test((await cells())[0]?.["name"] ?? ""));
    const shown = await cells();
    assert.ok(Number(shown[0]?.["mailbox"]) > 0, JSON.stringify(shown[0]));
    assert.equal(shown[0]?.["current"], "erts_internal:port_command/3");
    assert.deepEqual(
      shown.filter(({ status = "" }) => status.startsWith("suspended")).map(({ pid }) => pid),
      [shown[0]?.["pid"]],
    );
    await editor.screenshot("stuck-consumer-processes");
  });

  step("the writer's mailbox is deliveries to that consumer", async () => {
    await page().locator(".grid").focus();
    await here.editor.page.keyboard.press("Home");
    await here.editor.page.keyboard.press("Enter");
    const details = page().locator(".details");
    await until("its messages by shape", async () => /basic\.deliver/.test(await details.innerText()));
    await here.editor.screenshot("stuck-consumer-heap");
  });

  step("where processes wait: the writer waits for the port, with its owner and its queued data", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Start Wait Capture");
    await pickVm(editor, broker.pid);
    await inputBox(editor, QUESTION).waitFor();
    await typeIntoInput(editor, "3", QUESTION);
    await editor.tab("Where Processes Wait").waitFor();
    const ends = page().getByRole("table", { name: "What Most Processes Wait For" });
    await ends.waitFor();
    const port = ends.locator("tbody tr", { hasText: busy.port });
    const [all, direct, process, doing] = await port.locator("td").allInnerTexts();
    assert.deepEqual([all, direct, process], ["1", "1", `${busy.port} tcp_inet`]);
    assert.match(
      doing ?? "",
      /^busy: accepts no data until the other side reads, [\d.]+ kB wait to be written; owner /,
    );
    assert.ok(doing?.includes(busy.owner), doing);
    const edges = page().getByRole("table", { name: "Waits Between Processes, by Name" });
    await edges.locator("tbody tr", { hasText: "rabbit_writer" }).filter({ hasText: busy.port }).waitFor();
    await editor.screenshot("stuck-consumer-waits-for");
    await chooseTheme(editor, "Light Modern", "vs");
    await editor.screenshot("stuck-consumer-waits-for-light");
  });

  step("the flame graph has the writer in its write", async () => {
    await page().getByRole("button", { name: "Flame Graph" }).click();
    await search(page(), "rabbit_writer:internal_flush/1");
    await here.editor.screenshot("stuck-consumer-flame-graph");
    await search(page(), "erts_internal:port_command/3");
  });

  step("the queue holds the unread messages", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Show Memory of a VM");
    await pickVm(editor, broker.pid);
    await editor.tab("Memory").waitFor();
    await page().getByRole("tab", { name: "Binaries" }).click();
    const first = page().locator(".grid:visible [aria-rowindex='2']");
    await until("who holds most", async () => /rabbit_prequeue|rabbit_amqqueue_process/.test(await first.innerText()));
    await editor.screenshot("stuck-consumer-binaries");
  });
});
