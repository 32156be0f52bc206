// The files that a VM with `+JPperf true` leaves in /tmp for perf.
import { rmSync } from "node:fs";

/** Where the VM writes its table of names, as this machine sees it. */
export function namesFile(otp: { hostPath: (path: string) => string }, pid: number): string {
  return otp.hostPath(`/tmp/perf-${pid}.map`);
}

export function removePerfFiles(otp: { hostPath: (path: string) => string }, pid: number): void {
  for (const file of [namesFile(otp, pid), otp.hostPath(`/tmp/jit-${pid}.dump`), `/tmp/perf-${pid}.map`])
    rmSync(file, { force: true });
}
