// Captures of two commits of the demo shop, committed ones: which function takes more time, and which commit made it so.
import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../scripts/project.mjs";
import { changedCapture, takenOf } from "../../changed-capture.mjs";
import { until } from "../../until.mjs";
import { sourcePane } from "../source-pane.mjs";
import {
  baselineStatus,
  captureRow,
  chooseFromMenu,
  chooseRow,
  clickUntil,
  closeAllTabs,
  compareRows,
  cursor,
  cursorAt,
  goToLine,
  lensOf,
  openCapture,
  openFile,
  pickerRow,
  pressUntil,
  selectBoth,
  setBaseline,
  webview,
} from "../workbench.mjs";

const FIXTURE = join(ROOT, "test/unit/capture/fixtures/demo.pb.gz");
const REPORTS = "demo/src/demo_reports.erl";
const SLOWER = "demo_reports:group_by_day/2";
const HEAD_LINE = 44;
const CONDITION = `${SLOWER}.total.slower>20%`;
const BEFORE = "lists:keyfind(cents, 1, Facts)";
const AFTER = "lists:keyfind(cents, 1, lists:reverse(lists:seq(1, 150), Facts))";
const SUBJECT = "Reports look through all of history";
const HOUR_MS = 3_600_000;

/** @param {import("../shared-editor.mjs").SharedEditor} shared */
export function comparing(shared) {
  const commits = { before: "", after: "" };
  const shortName = (/** @type {string} */ name) => name.slice(0, 7);
  shared.scene("captures that are compared", () => ({
    prepare: (folder) => {
      writeFileSync(join(folder, ".gitignore"), "captures/\n");
      git(folder, "init", "-q", "-b", "main");
      commits.before = commit(folder, "A shop");
      git(folder, "switch", "-qc", "history");
      const text = readFileSync(join(folder, REPORTS), "utf8");
      assert.ok(text.includes(BEFORE));
      writeFileSync(join(folder, REPORTS), text.replace(BEFORE, AFTER));
      commits.after = commit(folder, SUBJECT);
      mkdirSync(join(folder, "captures"));
      const capture = readFileSync(FIXTURE);
      const slower = changedCapture(capture, (frames) => (frames.some(({ name }) => name === SLOWER) ? 3 : 1));
      const startedUnixMs = Date.now() - 2 * HOUR_MS;
      const of = (/** @type {Buffer} */ bytes, /** @type {string} */ commit, /** @type {number} */ afterMs) =>
        takenOf(bytes, { commit, startedUnixMs: startedUnixMs + afterMs });
      writeFileSync(join(folder, "captures/before.pb.gz"), of(capture, commits.before, 0));
      writeFileSync(join(folder, "captures/after.pb.gz"), of(slower, commits.after, HOUR_MS));
    },
    steps: (here) => {
      const { step, next, folder } = here;
      const view = () => webview(here.editor.page);
      const row = () => view().locator(".grid:visible .grid-body .grid-row", { hasText: SLOWER }).first();
      const line = (/** @type {string} */ text) =>
        readFileSync(join(folder, REPORTS), "utf8")
          .split("\n")
          .findIndex((one) => one.includes(text)) + 1;
      const commitsTitle = () => `${shortName(commits.before)} → ${shortName(commits.after)}`;
      const commitsTab = () => here.editor.tab(`Compare: ${commitsTitle()}`);
      /** The comparison of both commits, alone in sight. */
      const compareCommits = async () => {
        const { editor } = here;
        await closeAllTabs(editor);
        await editor.command("Extrospect: Compare Captures");
        for (const row of ["Two commits", "A shop", SUBJECT]) {
          await chooseRow(pickerRow(editor, row));
          // Where the pointer rests, the next list shows more of a row, above the others.
          await editor.page.mouse.move(2, 2);
        }
        await commitsTab().waitFor();
        await row().waitFor();
      };

      step(
        "one capture is selected, another compared with it: the function that takes more time comes first",
        async () => {
          const { editor } = here;
          await editor.showViews();
          await compareRows(editor, "before", "after", commitsTitle());
          await view().locator(".remarks", { hasText: "One capture on a side" }).waitFor();
          const first = view().locator(".grid:visible .grid-body .grid-row").first();
          await first.locator("[data-column=name]", { hasText: SLOWER }).waitFor();
          await until("the verdict", async () => {
            assert.equal(
              (await first.innerText()).replaceAll(/\s+/g, " ").trim(),
              `yes ▲ slower ${SLOWER} 5.9% 15.7% +165.3% between +112.9% and +230.7% demo_reports.erl:${String(HEAD_LINE)}`,
            );
            assert.equal(
              (await view().locator(".counts").first().innerText()).replaceAll(/\s+/g, " ").trim(),
              "▲ 1 slower ≈ 30 without a significant change · 92 with too few samples",
            );
            assert.equal(await first.locator(".place").innerText(), `demo_reports.erl:${String(HEAD_LINE)}`);
            return true;
          });
          await first.locator(".place").click();
          await cursorAt(editor, { file: "demo_reports.erl", line: HEAD_LINE });
        },
      );

      next("a condition is judged in the comparison, and kept for the folder until it is emptied", async () => {
        await commitsTab().click();
        const field = (/** @type {string} */ name) => view().getByRole("textbox", { name, exact: true });
        const settings = () => readFileSync(join(folder, ".vscode/settings.json"), "utf8");
        await field("Another condition").fill(CONDITION);
        const holds = view().locator(".gate-answer.holds", { hasText: `${CONDITION} holds` });
        await pressUntil(field("Another condition"), "Enter", () => holds.isVisible());
        await until("the setting", () => settings().includes(CONDITION));
        await field("Condition").fill("");
        await pressUntil(field("Condition"), "Enter", async () => (await view().locator(".gate-answer").count()) === 0);
        await until("no setting", () => !settings().includes(CONDITION));
      });

      next(
        "the graph of both sides shows the function as one that takes more time, and goes to its source",
        async () => {
          const { editor } = here;
          await commitsTab().click();
          await view().getByRole("tab", { name: "Flame graph" }).click();
          const graph = view().locator(".change-graph");
          await until("the frames of the function", async () => {
            await graph.locator("vscode-textfield input").fill(`^${SLOWER}$`);
            return /1 function/.test(await graph.locator("[role=status]").first().innerText());
          });
          const line = graph.locator(".frame-line", { hasText: /^demo_reports:group_by_day\/2, ▲ more time \+\d/ });
          await pressUntil(graph.locator("vscode-textfield input"), "Enter", () => line.isVisible());
          await pressUntil(graph.locator(".pane canvas"), "o", async () => {
            const at = await cursor(editor);
            return at.file === "demo_reports.erl" && at.line >= HEAD_LINE && at.line <= HEAD_LINE + 10;
          });
        },
      );

      step(
        "two commits are compared; whose line it is: the commit, its line, and the difference that it made",
        async () => {
          const { editor } = here;
          await compareCommits();
          const selected = view().locator('.grid:visible [aria-selected="true"]', { hasText: SLOWER });
          await clickUntil(row(), () => selected.isVisible());
          const section = view().locator(".whose");
          const subject = section.locator(".whose-subject", { hasText: SUBJECT });
          await pressUntil(view().locator(".grid:visible"), "Control+Enter", () => subject.first().isVisible());
          const first = section.locator(".whose-commits > li").first();
          const place = `demo_reports\\.erl:${String(line(AFTER))} touched line ${String(line(AFTER))}, where its time changed`;
          await until("who and where", async () => {
            assert.match(
              await first.innerText(),
              new RegExp(`${shortName(commits.after)}[^]*${SUBJECT}[^]*Ada Lovelace[^]*${place}`),
            );
            return true;
          });
          await first.locator(".whose-link").first().click();
          await editor.tab(`demo_reports.erl (${shortName(commits.after)})`).waitFor();
          await editor.page.locator(".diff-editor .line-insert, .monaco-diff-editor .line-insert").first().waitFor();
        },
      );

      step("a branch is compared with its merge base, and the comparison states it", async () => {
        const { editor } = here;
        await closeAllTabs(editor);
        await editor.command("Extrospect: Compare Captures");
        for (const row of ["A branch and its merge base", "history"]) await chooseRow(pickerRow(editor, row));
        const said = `history is compared with ${shortName(commits.before)}, where it branched off main.`;
        await view().locator(".remarks li", { hasText: said }).waitFor();
      });

      step("the history follows a function that is chosen, and compares a commit with the one before", async () => {
        const { editor } = here;
        await closeAllTabs(editor);
        await editor.showViews();
        await editor.command("Extrospect: Show History");
        await editor.tab("History").waitFor();
        await until("a dot for each commit", async () => (await view().locator(".dot").count()) === 2);
        await view().locator("vscode-button", { hasText: "Functions" }).click();
        const chosen = editor.page.locator(".quick-input-count", { hasText: "1 Selected" });
        await clickUntil(pickerRow(editor, SLOWER), () => chosen.isVisible());
        await editor.page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
        // Of the function both its own time and that with all that it calls.
        const series = view().locator("vscode-option", { hasText: SLOWER });
        await until("the function", async () => (await series.count()) === 2);
        // The newest commit is the chosen one.
        await view().locator("vscode-button", { hasText: "Compare with the One Before" }).click();
        await commitsTab().waitFor();
      });

      step(
        "with a baseline, the lens and the lines of a changed function show it, and the status bar names and clears the baseline",
        async () => {
          const { editor } = here;
          await closeAllTabs(editor);
          await editor.showViews();
          await setBaseline(editor, "before");
          await openCapture(editor, "after");
          await openFile(editor, REPORTS);
          // Lenses are drawn where they are in view.
          await goToLine(editor, HEAD_LINE);
          // The capture in view may be another one until this one is read.
          const since = `15.9% own (1,731) · 17.3% total (1,890) · ▲ +165.3% since ${shortName(commits.before)}`;
          await lensOf(editor, SLOWER, (text) => text === since);
          // Lines have their change beside today's figure, though figures are off.
          await until("changes beside lines", async () => {
            const figures = Object.values((await sourcePane(editor.page)).figures);
            assert.ok(figures.some((text) => text.includes("▲")));
            for (const text of figures) assert.match(text, /^(≈ )?\d+\.\d% (≈ )?([▲▼] [+-]\d+\.\d%|✚|✖)$/);
            return true;
          });
          const status = baselineStatus(editor);
          await until("its name", async () => /^\s*vs\. /.test(await status.innerText()));
          const none = pickerRow(editor, "Compare with no baseline");
          await clickUntil(status.locator("a"), () => none.isVisible());
          await chooseRow(none);
          await status.waitFor({ state: "detached" });
          await lensOf(editor, SLOWER, (text) => !text.includes("since"));
        },
      );

      step("in the Captures view, two commits that are selected are compared", async () => {
        const { editor } = here;
        await closeAllTabs(editor);
        await editor.showViews();
        await editor.command("Extrospect: Group Captures");
        const [older, newer] = [captureRow(editor, "A shop"), captureRow(editor, SUBJECT)];
        await selectBoth(editor, newer, older);
        await chooseFromMenu(editor, older, "Compare Captures", { leadsTo: commitsTab() });
      });
    },
  }));
}

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  const user = ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@host", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...user, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

/** @param {string} folder @param {string} subject @returns {string} the name of the commit */
function commit(folder, subject) {
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", subject);
  return git(folder, "rev-parse", "HEAD");
}
