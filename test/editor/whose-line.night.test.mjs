// From a slower function to the commit that touched it: a shop in a git repository is recorded, changed on a branch, and recorded again.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { erlangDemoIn } from "../../scripts/demo-programs.mjs";
import { until } from "../until.mjs";
import { scene } from "./scene.mjs";
import {
  attach,
  captureRow,
  chooseFromMenu,
  chooseTheme,
  clickUntil,
  closeAllTabs,
  cursorAt,
  goToLine,
  lensOf,
  openCapture,
  openFile,
  pickerRow,
  recordedSamples,
  selectBoth,
  setBaseline,
  webview,
} from "./workbench.mjs";

const REPORTS = "demo/src/demo_reports.erl";
const SLOWER = "demo_reports:group_by_day/2";
const BEFORE = "lists:keyfind(cents, 1, Facts)";
const AFTER = "lists:keyfind(cents, 1, lists:reverse(lists:seq(1, 150), Facts))";
const SUBJECT = "Reports look through all of history";
const ENOUGH = 3_000;
const THEMES = /** @type {const} */ ([
  ["Dark Modern", "vs-dark"],
  ["Light Modern", "vs"],
  ["Dark High Contrast", "hc-black"],
]);

describe("whose line", () => {
  const here = scene({
    viewport: { width: 1600, height: 1100 },
    settings: { "extrospect.capture.frequencyHz": 997, "extrospect.capture.durationSeconds": 0 },
    prepare: (folder) => {
      writeFileSync(join(folder, ".gitignore"), "captures/\nebin/\n");
      git(folder, "init", "-q", "-b", "main");
      commit(folder, "A shop");
    },
  });
  const { step, folder } = here;
  /** Whole names. @type {{before: string, after: string}} */
  const commits = { before: "", after: "" };
  const shortName = (/** @type {string} */ name) => name.slice(0, 7);
  const captureFiles = () => {
    try {
      return readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));
    } catch {
      return [];
    }
  };

  /**
   * Runs the program in the folder, and captures it until there are samples enough. @param {string} name of the commit
   */
  async function record(name) {
    const demo = await startDemo(erlangDemoIn(folder));
    try {
      await attach(here.editor, demo.pid);
      await until(`${String(ENOUGH)} samples`, async () => (await recordedSamples(here.editor)) > ENOUGH);
      await here.editor.command("Extrospect: Stop Capture");
      await until("its end", async () => (await recordedSamples(here.editor)) === 0);
      assert.ok(
        captureFiles().some((file) => file.endsWith(`-${shortName(name)}.pb.gz`)),
        captureFiles().join(),
      );
    } finally {
      await demo.stop();
    }
  }

  step("the shop is recorded, changed on a branch, committed, and recorded again", async () => {
    await here.editor.showViews();
    commits.before = git(folder, "rev-parse", "HEAD");
    await record(commits.before);
    git(folder, "switch", "-qc", "history");
    const text = readFileSync(join(folder, REPORTS), "utf8");
    assert.ok(text.includes(BEFORE));
    writeFileSync(join(folder, REPORTS), text.replace(BEFORE, AFTER));
    commit(folder, SUBJECT);
    commits.after = git(folder, "rev-parse", "HEAD");
    await record(commits.after);
  });

  step("the two commits are chosen, and the function that takes more time is among the changes", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Compare Captures");
    await pickerRow(editor, "Two commits").click();
    // Where the pointer rests, the next list shows more of a row, above the others.
    await editor.page.mouse.move(2, 2);
    await pickerRow(editor, "A shop").waitFor();
    await editor.screenshot("compare-pick-commits");
    await pickerRow(editor, "A shop").click();
    await pickerRow(editor, SUBJECT).click();
    await editor.tab(`Compare: ${shortName(commits.before)} → ${shortName(commits.after)}`).waitFor();
    const row = changedRow();
    await row.waitFor();
    assert.match(await row.locator("[data-column=verdict]").innerText(), /▲\s*slower/);
  });

  step(
    "a click on its place opens its head, and with the older capture as baseline its lens shows the change",
    async () => {
      const { editor } = here;
      const head = lineOf("group_by_day([], ByDay)");
      await changedRow().locator(".place").click();
      await cursorAt(editor, { file: "demo_reports.erl", line: head });
      const [before, after] = [commits.before, commits.after].map(
        (name) =>
          captureFiles()
            .find((file) => file.endsWith(`-${shortName(name)}.pb.gz`))
            ?.replace(".pb.gz", "") ?? "",
      );
      // From its row: a capture that was just opened is in view only when it is read.
      await setBaseline(editor, before ?? "");
      await openCapture(editor, after ?? "");
      await openFile(editor, REPORTS);
      await goToLine(editor, head);
      // The capture in view may be another one until this one is read.
      await lensOf(editor, SLOWER, (text) => /▲ \+[\d,.]+% since/.test(text));
      await editor.screenshot("whose-line-lens");
    },
  );

  step("the branch is compared with its merge base, and the comparison states it", async () => {
    const { editor } = here;
    // A panel alone in sight.
    await closeAllTabs(editor);
    await editor.command("Extrospect: Compare Captures");
    await pickerRow(editor, "A branch and its merge base").click();
    await pickerRow(editor, "history").click();
    await editor.tab("Compare: ").waitFor();
    await webview(editor.page)
      .locator(".remarks li", {
        hasText: `history is compared with ${shortName(commits.before)}, where it branched off main.`,
      })
      .waitFor();
  });

  step("whose line it is: the commit, its lines, and the difference that it made", async () => {
    const { editor } = here;
    await changedRow().click();
    await editor.page.keyboard.press("Control+Enter");
    const section = webview(editor.page).locator(".whose");
    await section.locator(".whose-subject", { hasText: SUBJECT }).waitFor();
    const first = section.locator(".whose-commits > li").first();
    const line = lineOf(AFTER);
    assert.match(
      await first.innerText(),
      new RegExp(
        `${shortName(commits.after)}[^]*${SUBJECT}[^]*Ada Lovelace[^]*demo_reports\\.erl:${String(line)} touched line ${String(line)}, where its time changed`,
      ),
    );
    for (const [label, kind] of THEMES) {
      await chooseTheme(editor, label, kind);
      await section.waitFor();
      await editor.screenshot(`whose-line-workbench-${kind}`);
    }
    await first.locator(".whose-link").first().click();
    await editor.tab(`demo_reports.erl (${shortName(commits.after)})`).waitFor();
    await editor.page.locator(".diff-editor .line-insert, .monaco-diff-editor .line-insert").first().waitFor();
    await editor.screenshot("whose-line-difference");
  });

  step("in the Captures view, two commits that are selected are compared, and one with another", async () => {
    const { editor } = here;
    await closeAllTabs(editor);
    await editor.showViews();
    await editor.command("Extrospect: Group Captures");
    const [older, newer] = [captureRow(editor, "A shop"), captureRow(editor, SUBJECT)];
    const tab = editor.tab(`Compare: ${shortName(commits.before)} → ${shortName(commits.after)}`);
    await selectBoth(editor, newer, older);
    await editor.screenshot("compare-commit-rows");
    await chooseFromMenu(editor, older, "Compare Captures", { leadsTo: tab });
    await closeAllTabs(editor);
    await tab.waitFor({ state: "detached" });
    // A menu is of all selected rows.
    await clickUntil(newer, () => older.and(editor.page.locator(":not(.selected)")).isVisible());
    const another = pickerRow(editor, "A shop");
    await chooseFromMenu(editor, newer, "Compare with Another Commit", { leadsTo: another });
    await another.click();
    await tab.waitFor();
  });

  function changedRow() {
    return webview(here.editor.page).locator(".grid:visible .grid-body .grid-row", { hasText: SLOWER }).first();
  }

  /** @param {string} text */
  function lineOf(text) {
    const lines = readFileSync(join(folder, REPORTS), "utf8").split("\n");
    return lines.findIndex((line) => line.includes(text)) + 1;
  }
});

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  return execFileSync(
    "git",
    ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@host", "-c", "commit.gpgsign=false", ...args],
    { cwd: folder, encoding: "utf8" },
  ).trim();
}

/** @param {string} folder @param {string} subject */
function commit(folder, subject) {
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", subject);
}
