// An ejabberd whose disk is slow: a user's conclusions from the panels have to be true.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { until } from "../until.mjs";
import { logIn, register, slowDisk, startEjabberd } from "../vms/ejabberd.mjs";
import { search } from "./flame-page.mjs";
import { scene } from "./scene.mjs";
import { chooseFromMenu, chooseTheme, inputBox, pickVm, typeIntoInput, webview } from "./workbench.mjs";

/** Each writes to an absent user, so that the server has to keep it on its disk. */
const SENDERS = 30;
const MESSAGES = 400;
const QUESTION = "Seconds to watch";

describe("a server with a slow disk", () => {
  /** @type {import("../vms/ejabberd.mjs").Ejabberd} */
  let ejabberd;
  const disk = slowDisk();
  /** @type {Awaited<ReturnType<typeof logIn>>[]} */
  let senders;
  before(async () => {
    ejabberd = await startEjabberd("27", { env: disk.environment });
    for (let user = 0; user < 2 * SENDERS; user++) await register(ejabberd.port, `user${user}`);
    senders = await Promise.all(Array.from({ length: SENDERS }, (_, user) => logIn(ejabberd.port, `user${user}`)));
  });
  after(async () => {
    disk.isSlow(false);
    for (const sender of senders) sender.end();
    await ejabberd.stop();
  });
  const here = scene({ viewport: { width: 1600, height: 950 } });
  const { step } = here;
  const page = () => webview(here.editor.page);

  step("one dirty scheduler is always busy, with the process of a table on disk", async () => {
    const { editor } = here;
    disk.isSlow(true);
    const message = (/** @type {number} */ user) =>
      `<message to='user${SENDERS + user}@localhost' type='chat'><body>${"lorem ipsum ".repeat(30)}</body></message>`;
    for (const [user, sender] of senders.entries()) sender.send(message(user).repeat(MESSAGES));
    await editor.showViews();
    const row = editor.row(String(ejabberd.pid));
    await row.waitFor();
    await chooseFromMenu(editor, row, "Processes", { leadsTo: editor.tab("Processes") });
    const rows = page().locator(".grid-body .grid-row");
    await rows.first().waitFor();
    // One of ten, all the time.
    await until("a busy one", async () => /Dirty I\/O\s+10%/.test(await page().locator(".node-figures").innerText()));
    await page().locator("vscode-textfield input").fill("dets:init");
    await until(
      "the table that is written",
      async () => (await rows.allInnerTexts()).filter((text) => /\brunning\b/.test(text)).length === 1,
    );
    await editor.screenshot("slow-disk-processes");
  });

  step("where processes wait: all senders wait for that one process", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Start Wait Capture");
    await pickVm(editor, ejabberd.pid);
    await inputBox(editor, QUESTION).waitFor();
    await typeIntoInput(editor, "3", QUESTION);
    await editor.tab("Where Processes Wait").waitFor();
    const ends = page().getByRole("table", { name: "What Most Processes Wait For" });
    await ends.waitFor();
    const [all, direct, process] = await ends.locator("tbody tr").first().locator("td").allInnerTexts();
    assert.match(process ?? "", /dets:init\/2/);
    assert.ok(Number(direct) >= SENDERS * 0.9 && Number(all) >= Number(direct), `${direct} of ${SENDERS}`);
    await editor.screenshot("slow-disk-waits-for");
    await chooseTheme(editor, "Light Modern", "vs");
    await editor.screenshot("slow-disk-waits-for-light");
  });

  step("the flame graph shows them writing to the table, below the function that stores", async () => {
    await page().getByRole("button", { name: "Flame Graph" }).click();
    await search(page(), "dets:req/2");
    await here.editor.screenshot("slow-disk-flame-graph");
    await search(page(), "mod_offline");
  });
});
