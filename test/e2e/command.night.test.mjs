// A command that is started and captured: every VM that it becomes or starts, from the first moment to the end.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/**
 * Erlang that sorts until something is written of its capture, for some hundred milliseconds of processor time after that, and ends
 * with an exit code. On a busy machine a VM could otherwise end before anything is attached to it.
 * @param {number} code @param {string} file
 */
const sorting = (code, file) =>
  `L = [erlang:phash2(X) || X <- lists:seq(1, 100000)], W = fun W(0) -> ok; W(N) -> lists:sort(L), filelib:file_size("${file}") > 0 orelse W(N - 1) end, W(3000), [lists:sort(L) || _ <- lists:seq(1, 15)], halt(${code}).`;
/** @param {number} code @param {string} file @returns {string} words for a shell that starts such a VM */
const vm = (code, file) => `erl -noshell -eval '${sorting(code, file)}'`;

test("every VM has a file, one that a shell has orphaned too", async (t) => {
  const file = join(temporaryFolder(t), "all.pb.gz");
  const second = file.replace(".pb.gz", ".2.pb.gz");
  const script = `(setsid ${vm(0, second)} &) ; ${vm(3, second)}; status=$?; while pgrep -f '[h]alt(0)' >/dev/null; do sleep 0.1; done; exit $status`;
  const run = await runHelper(["record", "-o", file, "--", "sh", "-c", script]);
  assert.equal(run.code, 3, run.stderr);
  for (const each of [file, second]) {
    assert.ok(existsSync(each), `${each}: ${run.stderr}`);
    const { functions } = await helperJson(["top", each, "-n", 0]);
    assert.ok(functions.length > 0);
  }
  assert.match(run.stderr, /% *\); next: extrospect top /);
});

test("a VM that begins when its command has ended is named, with the command that records it", async (t) => {
  const file = join(temporaryFolder(t), "none.pb.gz");
  const run = await runHelper([
    "record",
    "-o",
    file,
    "--",
    "erl",
    "-detached",
    "-noinput",
    "-eval",
    "timer:sleep(60000), halt().",
  ]);
  const pid = Number(/VM (\d+)/.exec(run.stderr)?.[1]);
  assert.ok(pid > 1, run.stderr);
  t.after(() => process.kill(pid, "SIGKILL"));
  assert.equal(run.code, 0, run.stderr);
  // By chance it was up already: then it is captured until the command ends, or missed.
  assert.match(
    run.stderr,
    /ended before VM \d+ began, which runs on and is in no capture: extrospect record \d+$|still runs: its capture ended with the command|is in no capture: /m,
  );
});
