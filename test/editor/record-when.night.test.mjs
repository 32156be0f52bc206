// "Capture When…" in the workbench, on a VM whose mailbox fills on request.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { namedAlone, runErl } from "../vms/vm.mjs";
import { scene } from "./scene.mjs";
import {
  captureInView,
  captureRow,
  chooseFromMenu,
  chooseRow,
  closePicker,
  inputBox,
  pickerRow,
  pickVm,
  rowOfCommand,
} from "./workbench.mjs";

const CONDITION = "mailbox>1000 or memory>900GB";
const PROMPT = "joined by “and” and “or”";
const NAME = /\.00001-\d{8}T\d{6}Z\.pb\.gz$/;

describe("record when a condition comes to hold", () => {
  /** @type {import("../vms/vm.mjs").RunningVm} */
  let vm;
  before(async () => {
    vm = await runErl({
      otp: await prepareOtp("27"),
      module: "gt_surge",
      args: ["mailbox"],
      emulatorFlags: namedAlone("surging"),
    });
  });
  after(() => vm.kill());
  const here = scene({ viewport: { width: 1600, height: 950 } });
  const { step } = here;
  const status = () => here.editor.page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recordWhen']");
  const files = () => readdirSync(join(here.folder, "captures")).filter((name) => NAME.test(name));

  step("from the row of a VM, a condition is judged as it is typed", async () => {
    const { editor } = here;
    await editor.showViews();
    const row = editor.row(String(vm.pid));
    await row.waitFor();
    await chooseFromMenu(editor, row, "Capture When…", { leadsTo: pickerRow(editor, "mailbox>10000") });
    await editor.screenshot("record-when-examples");
    // Text that is typed into the list itself is judged there.
    await inputBox(editor).fill("memory>10XB");
    await pickerRow(editor, "At character 10").waitFor();
    await editor.screenshot("record-when-typed-fault");
    await inputBox(editor).fill("memory>10MB");
    await pickerRow(editor, "Record when memory>10MB").waitFor();
    await editor.screenshot("record-when-typed");
    await inputBox(editor).fill("");
    await pickerRow(editor, "Write a Condition…").click();
    await inputBox(editor, PROMPT).waitFor();
    await inputBox(editor, PROMPT).fill("mailbox>");
    await editor.page
      .locator(".quick-input-message", { hasText: "At character 9: a number is expected, 0 or more" })
      .waitFor();
    await editor.screenshot("record-when-fault");
    // The fault stands in the place of the prompt.
    await inputBox(editor).fill(CONDITION);
    await editor.page.locator(".quick-input-message", { hasText: PROMPT }).waitFor();
    await closePicker(editor);
  });

  step("a condition that is typed into the list is recorded as it is", async () => {
    const { editor } = here;
    const row = editor.row(String(vm.pid));
    await chooseFromMenu(editor, row, "Capture When…", { leadsTo: pickerRow(editor, "mailbox>10000") });
    await inputBox(editor).fill(CONDITION);
    await pickerRow(editor, `Record when ${CONDITION}`).waitFor();
    await inputBox(editor).press("Enter");
  });

  step("the status bar shows the present values, and nothing is written", async () => {
    const { editor } = here;
    await editor.message(`is watched until ${CONDITION}`).waitFor();
    await until("the values", async () => /mailbox 0 · memory [\d.]+ MB/.test(await status().innerText()));
    assert.match(
      (await status().locator("a").getAttribute("aria-label")) ?? "",
      /^Record when mailbox>1000 or memory>900GB of surging@.*: watching for .*Stop watching$/,
    );
    assert.deepEqual(files(), []);
    await editor.screenshot("record-when-watching");
  });

  step("the status bar shows that the condition holds; a stop keeps the capture, reports and opens it", async () => {
    const { editor } = here;
    const { pid } = await until("it holds", async () => {
      const truth = await vm.report();
      return until(
        "that is seen",
        async () => (await status().locator(".codicon-record").isVisible()) && truth,
        5_000,
      ).catch(() => undefined);
    });
    await editor.screenshot("record-when-holds");
    await status().click();
    await pickerRow(editor, "surging@").click();
    const told = editor.message("Kept with");
    await told.waitFor();
    assert.ok((await told.innerText()).includes(`(${pid})`));
    await status().waitFor({ state: "hidden" });
    const [name = ""] = files();
    await editor.screenshot("record-when-kept");
    await told.getByRole("button", { name: "Open" }).click();
    await until("it is in view", async () => (await captureInView(editor).innerText()).includes("surging"));
    const user = readProfile(join(here.folder, "captures", name)).comments.findLast((text) =>
      text.startsWith("extrospect/user "),
    );
    const { note, tags } = JSON.parse(String(user).slice("extrospect/user ".length));
    assert.ok(note.startsWith(`recorded when ${CONDITION}: mailbox `) && note.includes(` of ${pid}, `), note);
    assert.deepEqual(tags, ["when"]);
    await captureRow(editor, "surging").waitFor();
    await editor.screenshot("record-when-opened");
  });

  step("the condition is offered first the next time", async () => {
    const { editor } = here;
    await chooseFromMenu(editor, editor.row(String(vm.pid)), "Capture When…", {
      leadsTo: pickerRow(editor, "the last one"),
    });
    assert.match(
      await editor.page.locator(".quick-input-list .monaco-list-row").first().innerText(),
      /mailbox>1000 or memory>900GB/,
    );
    await closePicker(editor);
  });

  step("a command watches a VM that is chosen, and another one stops that", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Capture When a Condition Holds");
    await pickVm(editor, vm.pid);
    await pickerRow(editor, "the last one").waitFor();
    await inputBox(editor).fill(CONDITION);
    await pickerRow(editor, `Record when ${CONDITION}`).waitFor();
    await inputBox(editor).press("Enter");
    await status().waitFor();
    await editor.screenshot("record-when-again");
    const watched = await rowOfCommand(editor, "Extrospect: Stop Watching (Capture When)", "surging@");
    assert.ok((await watched.innerText()).includes(CONDITION));
    await chooseRow(watched);
    await status().waitFor({ state: "hidden" });
  });

  step("the log has it", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Show Log");
    await editor.page.locator(".part.panel .view-lines", { hasText: "Stopped watching surging@" }).waitFor();
    await editor.screenshot("log");
  });
});
