// The CPU time of profiling, from the first sample to named stacks: the helper's record beside perf record with copied
// stacks and perf script, on the same running load.
import { statSync } from "node:fs";
import { join } from "node:path";
import { runErl } from "../test/vms/vm.mjs";
import { mustRun } from "./measured-command.mjs";
import { helperAt, helperBuilt, perfAt, perfInstalled } from "./profilers.mjs";
import { summary } from "./stats.mjs";

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {number} wanted.rounds
 * @param {number} wanted.seconds
 * @param {number} wanted.hz
 * @param {string} wanted.folder
 * @param {(text: string) => void} wanted.progress
 */
export async function profilingCost({ otp, rounds, seconds, hz, folder, progress }) {
  const vm = await runErl({ otp, module: "bench_load", emulatorFlags: ["+S", "2:2"] });
  /** @type {Record<string, number[]>} */
  const all = {};
  /** @param {string} name @param {number} value */
  const note = (name, value) => (all[name] ??= []).push(value);
  try {
    for (let round = 0; round < rounds; round++) {
      if (helperBuilt) {
        const run = await mustRun(helperAt(hz).command(vm.pid, seconds, folder), { keepOutput: true });
        const { quality } = JSON.parse(run.stdout);
        note("helper_samples", quality.samples);
        note("helper_cpu_s", run.cpuSeconds);
        note("helper_us_per_sample", (run.cpuSeconds * 1e6) / quality.samples);
        note("helper_peak_rss_mb", quality.self_rss_bytes / 2 ** 20);
        note("helper_bytes_per_sample", statSync(join(folder, "capture.pb.gz")).size / quality.samples);
      }
      if (perfInstalled) {
        const data = join(folder, "perf.data");
        const recorded = await mustRun(perfAt(hz, "dwarf").command(vm.pid, seconds, folder));
        const scripted = await mustRun(["perf", "script", "-i", data]);
        const listed = await mustRun(["perf", "script", "-i", data, "-F", "tid"], { keepOutput: true });
        const samples = listed.stdout.split("\n").filter((line) => line.trim() !== "").length;
        note("perf_samples", samples);
        note("perf_record_cpu_s", recorded.cpuSeconds);
        note("perf_script_cpu_s", scripted.cpuSeconds);
        note("perf_us_per_sample", ((recorded.cpuSeconds + scripted.cpuSeconds) * 1e6) / samples);
        note("perf_bytes_per_sample", statSync(data).size / samples);
      }
      if (helperBuilt && perfInstalled) {
        const last = (/** @type {string} */ name) => all[name]?.at(-1) ?? NaN;
        note("perf_over_helper_cpu_per_sample", last("perf_us_per_sample") / last("helper_us_per_sample"));
      }
      progress(`CPU cost, round ${round + 1} of ${rounds}`);
    }
  } finally {
    await vm.stop();
  }
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, summary(values)]));
}
