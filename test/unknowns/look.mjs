// Runs all commands and shows all views in one state, and finds the sentence of each.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HELPER, helperJson, runHelper } from "../e2e/helper.mjs";
import { inTerminal } from "../e2e/terminal.mjs";
import { until } from "../until.mjs";
import { keepBrowser } from "../webviews/shared-browser.mjs";
import { AS_ALWAYS, hasNoHeading, KNOWN, VIEWS_AS_ALWAYS } from "./as-always.mjs";
import { CELLS, COMMANDS, HISTORY, LASTING, LIVE, OF_HISTORY } from "./cells.mjs";
import { EditorHelper, extension } from "./editor.mjs";
import { normalCapture } from "./normal.mjs";
import { FOLLOWING, VIEW_CELLS, VIEW_NAMES, viewName } from "./view-cells.mjs";
import { VIEWS } from "./views.mjs";

/**
 * @typedef {object} Row
 * @property {string} state
 * @property {string} command   or `view: NAME`
 * @property {"sentence" | "same" | "none"} kind
 * @property {string} text      the sentence, or the reason why nothing is missing
 */

/**
 * What the rows of a state are of.
 * @typedef {object} Ran
 * @property {string} otp   release of OTP, and version of its runtime system
 * @property {string[]} engines   that sampled
 */

/** A table that is drawn anew each second has its sentence by then. */
const PICTURES = 4;

/** The sentence of a view about a VM that it cannot show as always. */
const PROBLEM = /^To fix: |may not be read|process \d+ has ended|there is no process \d/m;

/**
 * @param {import("./states.mjs").State} state
 * @param {Ran} [ran]   becomes what the rows are of
 * @returns {Promise<Row[]>} empty where this machine cannot have the state
 * @throws {AggregateError} commands or views have no such sentence, or a command has another exit code: an error for each
 */
export async function rowsOf(state, ran = { otp: "", engines: [] }) {
  const normal = await normalCapture();
  const folder = mkdtempSync(join(tmpdir(), "extrospect-unknowns-"));
  chmodSync(folder, 0o1777);
  mkdirSync(join(folder, HISTORY));
  symlinkSync(normal, join(folder, HISTORY, OF_HISTORY.normal));
  symlinkSync(join(folder, OF_HISTORY.state), join(folder, HISTORY, OF_HISTORY.state));
  const release = keepBrowser();
  /** @type {import("./states.mjs").Scene | undefined} */
  let scene;
  /** @type {Row[]} */
  const rows = [];
  /** @type {unknown[]} */
  const failures = [];
  /** A failure leaves the others their looks. @param {string} command @param {() => Promise<Pick<Row, "kind" | "text">>} look */
  const add = async (command, look) => {
    try {
      rows.push({ state: state.name, command, ...(await look()) });
    } catch (error) {
      failures.push(error);
    }
  };
  /** @param {boolean} isLasting the VM may end during the look */
  const begun = async (isLasting) => {
    if (scene === undefined || (scene.interrupt && isLasting)) {
      await scene?.end();
      scene = await state.begin(folder);
      if (scene !== undefined && ran.otp === "") ran.otp = await otpOf(scene.pid);
    }
    return scene;
  };
  try {
    for (const [command, argsOf] of Object.entries(COMMANDS)) {
      const cell = CELLS[state.name]?.[command];
      assert.ok(cell, `${state.name}, ${command}: no cell`);
      const now = await begun(LASTING.includes(command));
      if (now === undefined) return [];
      const args = argsOf(now.pid, folder, now.start, normal);
      await add(command, () => textOf(cell, now, { state, command, args, folder, ran }));
    }
    // On a full disk they left no room.
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    for (const view of VIEW_NAMES) {
      const cell = VIEW_CELLS[state.name]?.[view];
      assert.ok(cell, `${state.name}, ${view}: no cell`);
      const now = await begun(FOLLOWING.includes(view));
      if (now === undefined) return [];
      await add(viewName(view), () => viewTextOf(cell, now, { state, view, folder, normal }));
    }
    if (failures.length > 0) throw new AggregateError(failures, `${state.name}: ${failures.map(String).join("\n\n")}`);
    return rows;
  } finally {
    await scene?.end();
    await release();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import("./cells.mjs").Cell} cell
 * @param {import("./states.mjs").Scene} scene
 * @param {{state: import("./states.mjs").State, view: import("./view-cells.mjs").ViewName, folder: string, normal: string}} of
 * @returns {Promise<Pick<Row, "kind" | "text">>}
 */
async function viewTextOf(cell, { pid, wrapper = [], interrupt }, { state, view, folder, normal }) {
  const { sentence, same, none } = cell;
  if (none !== undefined) return { kind: "none", text: none };
  const helper = new EditorHelper(["env", stateIn(folder), ...wrapper], await extension());
  await helper.initialize();
  const text = await VIEWS[view]({ helper, pid, folder, normal, interrupt });
  await helper.end();
  checkWhole(cell, VIEWS_AS_ALWAYS[view], text, { state, pid });
  if (same !== undefined) {
    assert.doesNotMatch(text, PROBLEM);
    hasNoHeading(text);
    return { kind: "same", text: same };
  }
  const found = sentence?.exec(text)?.[0];
  assert.ok(found, `nothing is like ${sentence}: ${text}`);
  return { kind: "sentence", text: withoutPlaces(found.replaceAll(/\s*\n\s*/g, "; ")) };
}

/**
 * @param {import("./cells.mjs").Cell} cell
 * @param {import("./states.mjs").Scene} scene
 * @param {{state: import("./states.mjs").State, command: string, args: (string | number)[], folder: string, ran: Ran}} of
 * @returns {Promise<Pick<Row, "kind" | "text">>}
 */
async function textOf(cell, scene, { state, command, args, folder, ran }) {
  const { pid, wrapper = [], output: outputTo = [], interrupt } = scene;
  const { sentence, same, none, codes = [0] } = cell;
  if (none !== undefined) return { kind: "none", text: none };
  const isLasting = LASTING.includes(command);
  if (!isLasting) interrupt?.();
  const run =
    command === LIVE
      ? await runInTerminal([...wrapper, HELPER, ...args.map(String)], { sentence, interrupt })
      : await runHelper(args, {
          wrapper: ["env", "EXTROSPECT_PROGRESS=1", stateIn(folder), ...outputTo, ...wrapper],
          ...(isLasting && interrupt && { onStart: (child) => child.stderr?.once("data", interrupt) }),
        });
  const lines = linesOf(`${run.stdout}\n${run.stderr}`);
  const output = `extrospect ${args.join(" ")}, exit code ${run.code}:\n${lines.join("\n")}`;
  assert.ok(codes.includes(run.code ?? -1), output);
  for (const [, engine = ""] of lines.join("\n").matchAll(/^.*\bquality: .*; engine (\w+) \(/gm))
    if (!ran.engines.includes(engine)) ran.engines.push(engine);
  checkWhole(cell, AS_ALWAYS[command], lines.join("\n"), { state, pid });
  if (same !== undefined) {
    hasNoHeading(lines.join("\n"));
    return { kind: "same", text: same };
  }
  const line = lines.find((text) => sentence?.test(text));
  assert.ok(line, `no line is like ${sentence}: ${output}`);
  return { kind: "sentence", text: shown(line, sentence ?? /^/) };
}

/** Where captures in the background are kept. @param {string} folder */
const stateIn = (folder) => `XDG_STATE_HOME=${folder}`;

/**
 * A table in a terminal that has room for all of it, until it has the sentence, or has had the time for it.
 * @param {readonly string[]} words   of the command
 * @param {{sentence: RegExp | undefined, interrupt: (() => void) | undefined}} of
 * @returns {Promise<import("../e2e/helper.mjs").Run>}
 */
async function runInTerminal(words, { sentence, interrupt }) {
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const terminal = inTerminal(`stty rows 60 cols 400; exec ${quoted}`);
  const { text, pictures, hasEnded } = terminal;
  try {
    await until("a table", () => hasEnded() || pictures().length > 0);
    interrupt?.();
    const isSaid = () => linesOf(onePerLine(text())).some((line) => sentence?.test(line));
    await until("its sentence", () => hasEnded() || isSaid() || (!interrupt && pictures().length >= PICTURES));
    terminal.press("q");
    return { code: await terminal.ended, stdout: onePerLine(text()), stderr: "" };
  } finally {
    terminal.kill();
  }
}

/** Each picture begins with a line of its own. @param {string} text */
const onePerLine = (text) => text.replaceAll("\u001b[H", "\n");

/** Without what moves the cursor or colours. @param {string} text */
const linesOf = (text) => text.split(/[\n\r]+/).map((line) => line.replace(/\u001b\[\??[\d;]*[A-Za-z]/g, ""));

/** As root sees it. @param {number} pid */
async function otpOf(pid) {
  const rows = await helperJson(["list"]);
  const { otp, erts } = rows.find((/** @type {any} */ row) => row.pid === pid);
  return `${otp} (ERTS ${erts})`;
}

/**
 * That an answer in which nothing is missing has all that it always has.
 * @param {import("./cells.mjs").Cell} cell
 * @param {import("./as-always.mjs").Check | undefined} always
 * @param {string} text
 * @param {{state: import("./states.mjs").State, pid: number}} of
 */
function checkWhole({ same, answer: own }, always, text, { state, pid }) {
  if (same === undefined && own === undefined) return;
  const answer = own ?? always;
  const known = KNOWN[state.name];
  assert.ok(answer && known, `${state.name}: nothing is known of what the answer always has`);
  answer(text, { ...known, pid });
}

/** The clauses that match, without places of this machine. @param {string} line @param {RegExp} sentence */
function shown(line, sentence) {
  const { index = 0, 0: found = "" } = sentence.exec(line) ?? {};
  const from = line.lastIndexOf("; ", index);
  const to = line.indexOf("; ", index + found.length);
  return withoutPlaces(line.slice(from < 0 ? 0 : from + 2, to < 0 ? undefined : to))
    .replace(/^extrospect: /, "")
    .replace(/^(ok|warn|FAIL) +([\w ]+?) {2,}/, "$2: ")
    .trim();
}

/** Files have folders of this machine, except the kernel's own. @param {string} text */
const withoutPlaces = (text) => text.replaceAll(/(?<=^|[\s:(])\/(?!proc\/)[^\s;,)]+\/([^\s;,)]+)/g, "$1");
