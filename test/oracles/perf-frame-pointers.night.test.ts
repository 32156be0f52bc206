// perf, walking frame pointers on a VM that keeps them, and the helper see the same shares of the
// same load. One after the other (helper, perf, helper), since each takes time from the load.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { namesFile, removePerfFiles } from "./perf-files.js";
import { type ComparedShare, compareShares, percent, topNames } from "./proportions.js";
import { record, temporaryFolder } from "../e2e/helper.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { releasesOf } from "../nightly.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const execFileAsync = promisify(execFile);
const RELEASES = ["25", "27", "29"] as const;
const HZ = 499;
const SECONDS = 4;
const LEAST_SAMPLES = 1000;
const MOST_ROUNDS = 40;
const TOP = 20;
/** How often the forty comparisons of a release may fail together without a cause. */
const MISTAKE_RATE = 1e-6;

/**
 * A function that was interrupted before it has made its frame, or makes none, hides its caller only from profilers
 * that walk frame pointers: so much more than perf the helper may see of a caller. 3.4 to 3.8 points of
 * `gt_slices:timed/4` on OTP 27 and 29.
 */
const HIDDEN_CALLERS = 0.06;

/** Samples whose innermost frame in user space is Erlang code, by function. */
interface Shares {
  samples: number;
  self: Map<string, number>;
  total: Map<string, number>;
}

test("shares that differ are distinguished from shares that do not", () => {
  const of = (a: number): { counts: Map<string, number>; samples: number } => ({
    counts: new Map([["m:a/1", a]]),
    samples: 3000,
  });
  const inside = (a: number, b: number): boolean => compareShares(["m:a/1"], of(a), of(b), 0.01)[0]?.inside ?? false;
  assert.ok(inside(300, 300) && inside(300, 330));
  assert.ok(!inside(300, 400) && !inside(0, 30));
});

for (const release of releasesOf(RELEASES, "25")) {
  test(`OTP ${release}: perf with frame pointers sees the same shares`, async (t) => {
    const otp = await prepareOtp(release);
    const vm = await runErl({ otp, module: "gt_functions", emulatorFlags: ["+JPperf", "true"] });
    t.after(() => {
      vm.kill();
      removePerfFiles(otp, vm.pid);
    });
    const ours = emptyShares();
    const theirs = emptyShares();
    const folder = temporaryFolder(t);
    // Others may keep the VM from the processors: then more rounds have as many samples.
    for (let round = 1; ours.samples < LEAST_SAMPLES || theirs.samples < LEAST_SAMPLES; round++) {
      assert.ok(round <= MOST_ROUNDS, `only ${ours.samples} and ${theirs.samples} samples`);
      for (const half of [1, 2]) {
        const file = join(folder, `${round}-${half}.pb.gz`);
        await record(vm.pid, { seconds: SECONDS / 2, hz: HZ, file });
        addCapture(ours, file);
        if (half === 1) addPerf(theirs, await perf(vm.pid, namesFile(otp, vm.pid), join(folder, `${round}-perf.data`)));
      }
    }
    await vm.stop();
    for (const kind of ["self", "total"] as const) {
      const names = topNames(TOP, ours[kind], theirs[kind]);
      assert.equal(names.length, TOP);
      const rows = compareShares(
        names,
        { counts: theirs[kind], samples: theirs.samples },
        { counts: ours[kind], samples: ours.samples },
        MISTAKE_RATE / 2,
      );
      t.diagnostic(`${kind}: ${theirs.samples} samples of perf, ${ours.samples} of the helper`);
      for (const row of rows) t.diagnostic(text(row));
      const isHidden = ({ first, second }: ComparedShare) =>
        kind === "total" && second > first && second - first <= HIDDEN_CALLERS;
      assert.deepEqual(rows.filter((row) => !row.inside && !isHidden(row)).map(text), []);
    }
  });
}

function text({ name, first, second, margin }: ComparedShare): string {
  return `${name}: expected ${percent(first)} (perf), seen ${percent(second)}, difference ${percent(second - first)}, interval +- ${percent(margin)}`;
}

const emptyShares = (): Shares => ({ samples: 0, self: new Map(), total: new Map() });

/** @param functions innermost first; the first is where the time goes */
function add(shares: Shares, functions: string[], samples: number): void {
  const [leaf] = functions;
  if (leaf === undefined) return;
  shares.samples += samples;
  shares.self.set(leaf, (shares.self.get(leaf) ?? 0) + samples);
  for (const name of new Set(functions)) shares.total.set(name, (shares.total.get(name) ?? 0) + samples);
}

/** By the names the VM has: those shown for people are others. */
function addCapture(shares: Shares, file: string): void {
  const profile = readProfile(file);
  const count = countIndex(profile);
  for (const { frames, values } of profile.samples) {
    const user = frames.filter(({ kind }) => kind !== "kernel");
    if (user[0]?.kind === "erlang")
      add(shares, user.map(({ rawName }) => rawName).filter(isFunction), values[count] ?? 0);
  }
}

/** Records for SECONDS; returns the output of `perf script`. The VM writes its own table of names. */
async function perf(pid: number, names: string, data: string): Promise<string> {
  const wanted = ["-q", "--call-graph", "fp", "-F", String(HZ), "-e", "cpu-clock", "-p", String(pid), "-o", data];
  await execFileAsync("perf", ["record", ...wanted, "--", "sleep", String(SECONDS)]);
  const here = `/tmp/perf-${pid}.map`;
  if (names !== here) copyFileSync(names, here);
  const { stdout } = await execFileAsync("perf", ["script", "-i", data, "-F", "comm,tid,ip,sym"], {
    maxBuffer: 1 << 28,
  });
  return stdout;
}

function addPerf(shares: Shares, script: string): void {
  for (const sample of script.split("\n\n")) {
    const frames = Array.from(sample.matchAll(/^\s+([0-9a-f]+) (.*)$/gm), ([, address = "", name = ""]) => ({
      address,
      name,
    }));
    const user = frames.filter(({ address }) => !/^f{4}/.test(address.padStart(16, "0")));
    // The VM's own names begin with a dollar sign.
    const functions = user.map(({ name }) =>
      name.startsWith("$") ? name.slice(1).replace(/-CodeInfoPrologue$/, "") : "",
    );
    if (functions[0] !== undefined && isFunction(functions[0])) add(shares, functions.filter(isFunction), 1);
  }
}

/** Not a fragment of the runtime, and not the word at the bottom, which the helper leaves out. */
function isFunction(name: string): boolean {
  return /^[^:]+:.+\/\d+$/.test(name) && !name.startsWith("global::") && name !== "erts_beamasm:normal_exit/0";
}
