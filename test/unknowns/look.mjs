// Runs all commands in one state and finds the sentence of each.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runHelper } from "../e2e/helper.mjs";
import { CELLS, COMMANDS, LASTING } from "./cells.mjs";

/**
 * @typedef {object} Row
 * @property {string} state
 * @property {string} command
 * @property {"sentence" | "same" | "none"} kind
 * @property {string} text      the sentence, or the reason why nothing is missing
 */

/**
 * @param {import("./states.mjs").State} state
 * @returns {Promise<Row[]>} empty where this machine cannot have the state
 * @throws {assert.AssertionError} a command prints no such sentence, or has another exit code
 */
export async function rowsOf(state) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-unknowns-"));
  chmodSync(folder, 0o1777);
  /** @type {import("./states.mjs").Scene | undefined} */
  let scene;
  /** @type {Row[]} */
  const rows = [];
  try {
    for (const [command, argsOf] of Object.entries(COMMANDS)) {
      const cell = CELLS[state.name]?.[command];
      assert.ok(cell, `${state.name}, ${command}: no cell`);
      if (scene === undefined || (scene.interrupt && LASTING.includes(command))) {
        await scene?.end();
        scene = await state.begin(folder);
        if (scene === undefined) return [];
      }
      rows.push({ state: state.name, command, ...(await textOf(cell, scene, command, argsOf(scene.pid, folder))) });
    }
    return rows;
  } finally {
    await scene?.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import("./cells.mjs").Cell} cell
 * @param {import("./states.mjs").Scene} scene
 * @param {string} command
 * @param {(string | number)[]} args
 * @returns {Promise<Pick<Row, "kind" | "text">>}
 */
async function textOf({ sentence, same, none, codes = [0] }, { wrapper = [], interrupt }, command, args) {
  if (none !== undefined) return { kind: "none", text: none };
  const isLasting = LASTING.includes(command);
  if (!isLasting) interrupt?.();
  const run = await runHelper(args, {
    wrapper: ["env", "EXTROSPECT_PROGRESS=1", ...wrapper],
    ...(isLasting && interrupt && { onStart: (child) => child.stderr?.once("data", interrupt) }),
  });
  const lines = `${run.stdout}\n${run.stderr}`
    .split(/[\n\r]+/)
    .map((line) => line.replace(/\u001b\[[\d;]*[A-Za-z]/g, ""));
  const output = `extrospect ${args.join(" ")}, exit code ${run.code}:\n${lines.join("\n")}`;
  assert.ok(codes.includes(run.code ?? -1), output);
  if (same !== undefined) return { kind: "same", text: same };
  const line = lines.find((text) => sentence?.test(text));
  assert.ok(line, `no line is like ${sentence}: ${output}`);
  return { kind: "sentence", text: shown(line, sentence ?? /^/) };
}

/** The clauses that match, without places of this machine. @param {string} line @param {RegExp} sentence */
function shown(line, sentence) {
  const { index = 0, 0: found = "" } = sentence.exec(line) ?? {};
  const from = line.lastIndexOf("; ", index);
  const to = line.indexOf("; ", index + found.length);
  return line
    .slice(from < 0 ? 0 : from + 2, to < 0 ? undefined : to)
    .replace(/^extrospect: /, "")
    .replaceAll(/(?<=^|[\s:(])\/[^\s;,)]+\/([^\s;,)]+)/g, "$1")
    .replace(/^(warn|FAIL) +([\w ]+?) {2,}/, "$2: ")
    .trim();
}
