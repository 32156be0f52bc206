// The capture of a VM in none of the states, with which those of the states are compared.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { record } from "../e2e/helper.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { OF_HISTORY } from "./cells.mjs";

/** @type {Promise<string> | undefined} */
let made;

/** Its file, which any user may read; made once for all states. */
export const normalCapture = () => (made ??= recorded());

async function recorded() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-normal-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const file = join(folder, OF_HISTORY.normal);
  // Other numbers of schedulers online are a state, whatever the machine has.
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_erlang", emulatorFlags: ["+S", "4:4"] });
  try {
    await record(vm.pid, { seconds: 2, file });
  } finally {
    vm.kill();
    await vm.ended;
  }
  chmodSync(file, 0o644);
  return file;
}
