// waits: a VM that ends, and files.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertRefused, HELPER, runHelper, samplersOf, temporaryFolder } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

test("a file that is there is left alone, one that cannot be written is reported before the watch, and the data of a VM that ends is kept", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_waits", args: [4] });
  t.after(() => vm.kill());
  const folder = temporaryFolder(t);
  const file = join(folder, "waits.pb.gz");
  assert.equal((await runHelper(["waits", vm.pid, "-d", "1", "-o", file])).code, 0);
  const before = readFileSync(file);
  assertRefused(await runHelper(["waits", vm.pid, "-d", "600", "-o", file]), 1);
  assert.deepEqual(readFileSync(file), before);
  assertRefused(await runHelper(["waits", vm.pid, "-d", "600", "-o", "/nowhere/waits.pb.gz"]), 1);
  const compared = await runHelper(["diff", file, "--", file]);
  assert.match(compared.stderr, /contains how long processes waited, but no processor time to compare/);
  assert.notEqual(compared.code, 0);
  assertRefused(await runHelper(["waits", process.pid, "-d", "1"]), 3);

  const ending = join(folder, "ending.pb.gz");
  const child = spawn(HELPER, ["waits", `${vm.pid}`, "-d", "600", "-o", ending], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  t.after(() => child.kill());
  const ended = new Promise((resolve) => child.once("close", resolve));
  let told = "";
  child.stderr.on("data", (chunk) => (told += chunk));
  // It has sent a few answers by then: that it has attached, and its first looks.
  const written = new Set();
  await until("some looks", () => {
    const [sampler] = samplersOf(child.pid ?? 0);
    if (sampler) written.add(/wchar: (\d+)/.exec(readFileSync(`/proc/${sampler}/io`, "utf8"))?.[1]);
    return written.size > 5;
  });
  vm.kill();
  assert.equal(await ended, 5, told);
  assert.ok(readProfile(ending).samples.length > 0);
  const [whole, cut] = [file, ending].map(waitsIn);
  assert.deepEqual([whole.ended, cut.ended], [false, true]);
  assert.ok(whole.graph.edges.length > 0, "which process waits for which");
  // It is read at the end, so the processes that others of a VM that has ended wait for are not known.
  assert.deepEqual([cut.graph.edges, cut.graph.unproven > 0], [[], true], JSON.stringify(cut.graph));
});

/** The facts in a capture of waits. @param {string} file */
function waitsIn(file) {
  const start = "extrospect/waits ";
  const said = readProfile(file).comments.find((comment) => comment.startsWith(start));
  return JSON.parse(said?.slice(start.length) ?? "");
}
