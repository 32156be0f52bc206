// The committed captures are recorded anew by the program that has recorded them, into another folder: what holds of each
// recording on any machine holds of these, too. Verdicts are those of the committed ones alone (verdicts.test.mjs).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { samplesIn } from "../e2e/enough.mjs";
import { helperJson } from "../e2e/helper.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { FIXTURES } from "./fixtures.mjs";

const run = promisify(execFile);
/** All whose captures are committed. */
const PARTS = ["compared", "counted", "own", "asked"];
/** Modules of the programs; how much of the others runs depends on their releases. */
const IS_OF_PROGRAM = /^(?:cmp|gt|own)_|^'Elixir\.(?:Own|ElixirHot)/;
/** A function with that part of a committed capture has hundreds of its samples. */
const LEAST_PART = 0.1;

const captures = (/** @type {string} */ folder) => readdirSync(folder).filter((name) => name.endsWith(".pb.gz"));
const NAMES = captures(FIXTURES);

/** @param {import("../pprof-reader.mjs").Profile} profile @param {string} kind @returns {any} */
function said({ comments }, kind) {
  const start = `extrospect/${kind} `;
  const line = comments.find((comment) => comment.startsWith(start)) ?? assert.fail(`no ${kind}: ${comments.join()}`);
  return JSON.parse(line.slice(start.length));
}

/** @param {import("../pprof-reader.mjs").Profile} profile @param {string} kind */
const has = ({ comments }, kind) => comments.some((comment) => comment.startsWith(`extrospect/${kind} `));

/** The part of each function of the program, callers included. @param {import("../pprof-reader.mjs").Profile} profile */
function partsOf(profile) {
  const count = countIndex(profile);
  /** @type {Map<string, number>} */
  const parts = new Map();
  const all = samplesIn(profile);
  for (const { frames, values } of profile.samples)
    for (const name of new Set(frames.map(({ rawName }) => rawName)))
      if (IS_OF_PROGRAM.test(name)) parts.set(name, (parts.get(name) ?? 0) + (values[count] ?? 0) / all);
  return parts;
}

describe("the committed captures, recorded anew", () => {
  let folder = "";
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "extrospect-fixtures-"));
    const program = join(import.meta.dirname, "record-fixtures.mjs");
    const [command = "", ...args] = [...boundToThis("TERM"), process.execPath, program, "--to", folder, ...PARTS];
    await run(command, args);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("are all of them", () => {
    assert.deepEqual(captures(folder).sort(), NAMES.toSorted());
  });

  for (const name of NAMES)
    test(`${name}: release, engine, rate and program are as before, and it opens`, async () => {
      const [committed, anew] = [FIXTURES, folder].map((one) => readProfile(join(one, name)));
      assert.ok(committed !== undefined && anew !== undefined);
      assert.deepEqual(anew.sampleTypes, committed.sampleTypes);
      const facts = (/** @type {import("../pprof-reader.mjs").Profile} */ profile) => {
        const [target, settings] = [said(profile, "target"), said(profile, "settings")];
        return {
          release: target.otp_release,
          flavor: target.flavor,
          // The name of no machine.
          host: target.host,
          engine: settings.engine,
          hz: settings.frequency_hz,
        };
      };
      assert.deepEqual(facts(anew), facts(committed));
      // The same sources have the same commit; of this repository there is none.
      assert.equal(has(anew, "origin"), has(committed, "origin"));
      if (has(anew, "origin")) assert.equal(said(anew, "origin").commit, said(committed, "origin").commit);
      assert.equal(has(anew, "work"), has(committed, "work"));
      if (has(anew, "work")) assert.equal(said(anew, "work").name, said(committed, "work").name);
      const parts = partsOf(anew);
      const missing = [...partsOf(committed)].filter(([of, part]) => part >= LEAST_PART && !parts.has(of));
      assert.deepEqual(missing, []);
      const { functions, samples, quality } = await helperJson(["top", join(folder, name), "-n", "0"]);
      assert.ok(samples > 0 && functions.length > 0);
      assert.deepEqual([samples, quality.samples], [samplesIn(anew), samplesIn(anew)]);
    });
});
