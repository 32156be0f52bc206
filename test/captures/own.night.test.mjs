// Own time: a sample counts for the innermost line of the user's own code, with everything that it called. Compared
// with programs whose sources mark the hot lines.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { isNightly, releasesOf } from "../nightly.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { hotLines, OWN_FILES, runOwnProject } from "../vms/own.mjs";
import { qualityOf } from "../e2e/enough.mjs";
import { helperJson, runHelper } from "../e2e/helper.mjs";

/** Each of the hot functions takes several percent: enough to distinguish each of its lines from the hot one. */
const SAMPLES = isNightly ? 4_000 : 2_000;

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release */
async function runProject(t, release) {
  const otp = await prepareOtp(release);
  const inside = openPath("own");
  t.after(() => rmSync(otp.hostPath(inside), { recursive: true, force: true }));
  const { vm, folder } = await runOwnProject(otp, inside);
  t.after(() => vm.kill());
  return { vm, folder };
}

/** @param {any[]} rows @param {(row: any) => number} of */
const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);

/** Samples with a frame of the project's own, counted by another reader. @param {string} file */
function samplesWithOwnFrame(file) {
  const profile = readProfile(file);
  const count = countIndex(profile);
  const isOwn = (/** @type {import("../pprof-reader.mjs").Frame} */ { rawName }) =>
    /^own_shop:|^'Elixir\.OwnMarket(\.Item)?':|^'Elixir\.OwnPrice\.[^']+':/.test(rawName);
  const known = profile.samples.filter(
    ({ labels }) => !["bracketed", "unproven"].includes(String(labels.trust)) && labels.class !== "idle",
  );
  return sum(
    known.filter(({ frames }) => frames.some(isOwn)),
    ({ values }) => values[count],
  );
}

for (const release of releasesOf(OTP_RELEASES, "25"))
  test(`OTP ${release}: own time goes to the lines that cause the work, and adds up`, async (t) => {
    const { vm, folder } = await runProject(t, release);
    const file = join(folder, "own.pb.gz");
    await qualityOf(vm.pid, { seconds: 3, hz: 997, file }, { all: SAMPLES });
    const top = await helperJson(["top", file, "-n", 0, "--own", folder, "--by", "line"]);
    const { samples, functions, lines } = top;
    const isMarker = (/** @type {any} */ { function: name }) => /^\[/.test(name);

    for (const rows of [functions, lines]) {
      assert.equal(
        sum(rows, (row) => row.own),
        samples,
        "every sample counts once",
      );
      assert.equal(
        sum(
          rows.filter((/** @type {any} */ row) => !isMarker(row)),
          (row) => row.own,
        ),
        samplesWithOwnFrame(file),
        "every sample with an own frame counts for own code",
      );
      for (const row of rows) assert.ok(Math.abs(row.own_pct - (100 * row.own) / samples) < 1e-6, JSON.stringify(row));
    }
    assert.equal(
      sum(functions, (row) => row.self),
      samples,
    );
    assert.deepEqual(Object.keys(lines[0]).sort(), ["file", "function", "line", "own", "own_pct", "self", "total"]);

    const own = lines.filter((/** @type {any} */ row) => row.own > 0 && !isMarker(row));
    assert.deepEqual(
      [...new Set(own.map((/** @type {any} */ row) => row.file))].filter((name) => !OWN_FILES.includes(name)),
      [],
      "nothing but own files has own time",
    );
    for (const [name, { file: ofFile, line }] of hotLines()) {
      const ofFunction = own
        .filter((/** @type {any} */ row) => row.function === name)
        .sort((/** @type {any} */ a, /** @type {any} */ b) => b.own - a.own);
      t.diagnostic(`${name}: ${ofFunction.map((/** @type {any} */ row) => `${row.line}: ${row.own}`).join(", ")}`);
      const [hottest] = ofFunction;
      assert.ok(hottest !== undefined, `${name} among ${own.map((/** @type {any} */ row) => row.function).join(", ")}`);
      assert.deepEqual({ file: hottest.file, line: hottest.line }, { file: ofFile, line }, name);
    }

    const row = (/** @type {string} */ name) =>
      functions.find((/** @type {any} */ candidate) => candidate.function === name);
    // Code from a macro of a dependency, with lines of its own: the function's, and no line's.
    const made = row("OwnMarket.made_elsewhere/1");
    assert.ok(made.own > 0, JSON.stringify(made));
    const madeLines = own.filter((/** @type {any} */ candidate) => candidate.function === "OwnMarket.made_elsewhere/1");
    assert.deepEqual([...new Set(madeLines.map((/** @type {any} */ candidate) => candidate.line))], [0]);
    // Dispatch of a protocol is no own code; a tail-called function's caller is on no stack.
    for (const none of functions.filter((/** @type {any} */ { function: name }) =>
      /^OwnPrice\.(cents|impl_for)|^(Enum|lists|erlang)[.:]/.test(name),
    ))
      assert.equal(none.own, 0, none.function);

    const table = await runHelper(["top", file, "--own", folder]);
    assert.equal(table.code, 0, table.stderr);
    const [, share, head, ...rest] = table.stdout.split("\n");
    assert.match(share ?? "", /^\d+\.\d % count for own code below /);
    assert.match(head ?? "", /^ *own % +self % +total % +samples +kind +function +where$/);
    assert.match(rest.join("\n"), /own_shop:tail\/2 +src\/own_shop\.erl:\d+$/m);
    assert.doesNotMatch(table.stdout, /Enum\./, "what has no own time is left out");

    const byLine = await runHelper(["top", file, "--own", folder, "--by", "line", "-n", 5]);
    assert.equal(byLine.code, 0, byLine.stderr);
    assert.match(byLine.stdout, /^ *own % +self % +total % +samples +line +function$/m);
  });
