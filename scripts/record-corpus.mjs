// Records the corpus that the Rust tests replay, from test VMs: raw samples and the stacks shown of them (a golden master).
//   node scripts/record-corpus.mjs [RELEASE ...]     (the default: every release the helper knows)
// 27-emu is the interpreter of a release with a JIT; scripts/build-otp.mjs builds it.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { builtOtp } from "../test/vms/built.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../test/vms/otp.mjs";
import { runErl } from "../test/vms/vm.mjs";
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines } from "./command.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { HELPER_WORKSPACE } from "./project.mjs";

const CORPUS = join(HELPER_WORKSPACE, "crates/sampling/recorder/tests/corpus");

/** @returns {Promise<string>} the program that records */
async function buildRecorder() {
  const args = [
    "build",
    "--release",
    "--locked",
    "-p",
    "recorder",
    "--example",
    "record-corpus",
    "--message-format=json-render-diagnostics",
  ];
  const { code, stdout, stderr } = await runCargo(args, { cwd: HELPER_WORKSPACE, env: cargoEnvironment() });
  if (code !== 0)
    throw new Problem(
      "the recorder does not build",
      lastLines(stderr),
      `cd native-helper && cargo ${args.slice(0, 7).join(" ")}`,
    );
  const built = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  return built.findLast((message) => message.executable)?.executable;
}

/**
 * The recorded installations, by the name of their folder without `otp`.
 * @type {Map<string, () => Promise<import("../test/vms/otp.mjs").OtpInstallation>>}
 */
const RECORDED = new Map([
  ...ALL_OTP_RELEASES.map((release) => /** @type {const} */ ([release, () => prepareOtp(release)])),
  ["27-emu", () => builtOtp("27", { flavor: "emu", stripped: true })],
]);

/** @param {string} recorder @param {string} release @param {import("../test/vms/otp.mjs").OtpInstallation} otp */
async function recordRelease(recorder, release, otp) {
  const vm = await runErl({ otp, module: "gt_corpus" });
  const folder = join(CORPUS, `otp${release}`);
  rmSync(folder, { recursive: true, force: true });
  const child = spawn(recorder, [`${vm.pid}`, folder], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (;;) {
      const { situation } = await vm.report();
      if (situation === "none") break;
      child.stdin.write(`${situation}\n`);
      const { value = "the recorder ended" } = await lines.next();
      console.log(`OTP ${release}: ${value}`);
    }
    child.stdin.end();
    const ended = new Promise((resolve) => child.once("close", resolve));
    for (let line = await lines.next(); !line.done; line = await lines.next()) console.log(line.value);
    const code = await ended;
    if (code !== 0) throw new Error(`recording OTP ${release} failed`);
  } finally {
    child.kill();
    vm.kill();
  }
}

try {
  const wanted = process.argv.slice(2);
  const recorder = await buildRecorder();
  for (const [release, prepare] of RECORDED) {
    if (wanted.length === 0 || wanted.includes(release)) await recordRelease(recorder, release, await prepare());
  }
  process.exit(0);
} catch (error) {
  console.error(explain(error));
  process.exit(exitCodeOf(error));
}
