// One VM of this machine: a recording of it, a look at its processes, and its own report.
import { cpus, loadavg, release as kernelRelease } from "node:os";
import { join } from "node:path";
import { HELPER, runHelper } from "../e2e/helper.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { runErl } from "../vms/vm.mjs";
import { judged, reasonIn } from "./judged.mjs";

const SECONDS = 3;
const FREQUENCY_HZ = 499;
const TIMEOUT_MS = 120_000;

/** Other load on the machine moves the share that `readv` can prove. */
export const loadNow = () => `load ${(loadavg()[0] ?? 0).toFixed(0)}`;

const here = () => `Linux ${kernelRelease().replace(/^(\d+\.\d+).*/, "$1")}, ${cpus().length} processors, ${loadNow()}`;

/**
 * @typedef {object} Wanted
 * @property {string} kind
 * @property {string} name
 * @property {import("../vms/otp.mjs").OtpInstallation} otp
 * @property {string[]} [emulatorFlags]
 * @property {number} [uid]    of the VM
 * @property {string} folder   for the capture; the user who records may write to it
 * @property {(vm: import("../vms/vm.mjs").RunningVm) => {program?: string, wrapper?: string[]}} [helper]   how the helper is started
 */

/** @param {Wanted} wanted @returns {Promise<import("./page.mjs").Row>} */
export async function rowOf({ kind, name, otp, emulatorFlags = [], uid, folder, helper = () => ({}) }) {
  const row = { kind, name, date: today(), where: here() };
  const vm = await runErl({
    otp,
    module: "gt_matrix",
    emulatorFlags,
    ...(uid !== undefined && { uid, env: { HOME: folder } }),
  }).catch((/** @type {Error} */ error) => error);
  if (vm instanceof Error) return { ...row, notRun: `the VM does not start: ${vm.message.split("\n").at(-1)}` };
  try {
    const options = { program: HELPER, ...helper(vm), timeoutMs: TIMEOUT_MS };
    const file = join(folder, `${kind}-${name.replaceAll(/[^\w.-]/g, "-")}.pb.gz`);
    const recorded = await said(["record", vm.pid, "-d", SECONDS, "-F", FREQUENCY_HZ, "--force", "-o", file], options);
    const reports = [await vm.report()];
    const ps = await said(["ps", vm.pid], options);
    reports.push(await vm.report());
    return {
      ...row,
      figures: judged({ recorded, profile: recorded.problem === undefined ? opened(file) : null, ps, reports }),
    };
  } finally {
    vm.kill();
  }
}

/** @param {(string | number)[]} args @param {Parameters<typeof runHelper>[1]} options @returns {Promise<any>} JSON, or {problem} */
async function said(args, options) {
  try {
    const run = await runHelper([...args, "--json"], options);
    return run.code === 0 ? JSON.parse(run.stdout) : { problem: reasonIn(run.stderr) };
  } catch (error) {
    return { problem: String(/** @type {Error} */ (error).message).split("\n")[0] };
  }
}

/** @param {string} file */
function opened(file) {
  try {
    return readProfile(file);
  } catch {
    return null;
  }
}

/** @returns {string} YYYY-MM-DD */
export const today = () => new Date().toISOString().slice(0, 10);

/** A row for which this machine has nothing to run. @param {string} kind @param {string} name @param {string} why @returns {import("./page.mjs").Row} */
export const notRun = (kind, name, why) => ({ kind, name, date: today(), where: here(), notRun: why });
