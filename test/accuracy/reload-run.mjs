// Records a storm of reloads again and again while other programs keep every core busy, and prints how many frames were
// wrong (there must be none) and how many samples were left without a name.
//   node test/accuracy/reload-run.mjs --otp 27,29 --engine bpf --recordings 100 --seconds 2 --busy 2
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { exitAtEndingSignal } from "../../scripts/ending-signals.mjs";
import { record } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { judgeStorm } from "./reload-storm.mjs";
import { optionsOrExit } from "../../scripts/options.mjs";

const { values: options } = optionsOrExit("node test/accuracy/reload-run.mjs", {
  options: {
    otp: { type: "string", default: ALL_OTP_RELEASES.join(",") },
    engine: { type: "string", default: "bpf" },
    recordings: { type: "string", default: "100" },
    seconds: { type: "string", default: "2" },
    busy: { type: "string", default: "2" },
    "loads-per-second": { type: "string", default: "50" },
    keep: { type: "string" },
  },
});
const [recordings, seconds, busy] = [options.recordings, options.seconds, options.busy].map(Number);
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "extrospect-reload-"));
const loops = Array.from({ length: Number(busy) * cpus().length }, () =>
  spawn("/bin/sh", ["-c", "while kill -0 $PPID; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done"], {
    stdio: "ignore",
  }),
);
process.on("exit", () => {
  for (const loop of loops) loop.kill("SIGKILL");
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
});
exitAtEndingSignal();

let wrongRecordings = 0;
for (const release of options.otp.split(",")) {
  const otp = await prepareOtp(/** @type {import("../vms/otp.mjs").OtpRelease} */ (release));
  for (const engine of options.engine.split(",")) {
    const vm = await runErl({ otp, module: "gt_reload", args: [options["loads-per-second"]] });
    const total = {
      recordings: 0,
      loads: 0,
      samples: 0,
      checked: 0,
      marked: 0,
      reloaded: 0,
      named: 0,
      wrongRecordings: 0,
    };
    for (let index = 0; index < Number(recordings); index += 1) {
      const file = join(folder, `${release}-${engine}-${index}.pb.gz`);
      const before = (await vm.report()).loads;
      await record(vm.pid, {
        seconds: Number(seconds),
        hz: 997,
        file,
        engine: /** @type {"bpf" | "readv"} */ (engine),
      });
      total.loads += (await vm.report()).loads - before;
      const seen = judgeStorm(readProfile(file));
      for (const key of /** @type {const} */ (["samples", "checked", "marked", "reloaded", "named"]))
        total[key] += seen[key];
      total.recordings += 1;
      if (seen.wrong.size === 0) {
        if (options.keep === undefined) rmSync(file);
        continue;
      }
      total.wrongRecordings += 1;
      for (const [reason, samples] of seen.wrong)
        console.log(`OTP ${release} ${engine} recording ${index}: WRONG ${reason} (${samples} samples)`);
    }
    await vm.stop();
    wrongRecordings += total.wrongRecordings;
    const share = (/** @type {number} */ count) => `${((100 * count) / Math.max(1, total.samples)).toFixed(2)} %`;
    console.log(
      `OTP ${release} ${engine}: ${JSON.stringify(total)}, [code reloaded] ${share(total.reloaded)}, any mark ${share(total.marked)}`,
    );
  }
}
process.exit(wrongRecordings === 0 ? 0 : 1);
