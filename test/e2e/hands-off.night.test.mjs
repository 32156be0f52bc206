// The proof that the helper only looks: its own system calls, as strace shows them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { releasesOf } from "../nightly.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { runHelper, temporaryFolder } from "./helper.mjs";

const WATCHED = [
  "ptrace",
  "kill",
  "tkill",
  "tgkill",
  "rt_sigqueueinfo",
  "rt_tgsigqueueinfo",
  "pidfd_send_signal",
  "process_vm_writev",
  "process_vm_readv",
  "process_madvise",
  "process_mrelease",
  "prlimit64",
  "sched_setaffinity",
  "sched_setscheduler",
  "setpriority",
  "migrate_pages",
  "move_pages",
  "open",
  "openat",
  "openat2",
];
/** Calls that act on another process whenever they name one. */
const ACTS_ON_PID =
  /\b(kill|tkill|tgkill|rt_sigqueueinfo|rt_tgsigqueueinfo|prlimit64|sched_setaffinity|sched_setscheduler|setpriority|migrate_pages|move_pages)\((.*)\)/;
const FORBIDDEN = /\b(ptrace|process_vm_writev|process_madvise|process_mrelease|pidfd_send_signal)\(/;

/**
 * Lines of a trace that touch the target.
 * @param {string} trace
 * @param {Set<number>} targetIds pid and thread ids
 */
export function offences(trace, targetIds) {
  return trace.split("\n").filter((line) => {
    if (FORBIDDEN.test(line)) return true;
    const acts = ACTS_ON_PID.exec(line);
    if (acts) return (acts[2]?.match(/\b\d+\b/g) ?? []).slice(0, 2).some((word) => targetIds.has(Number(word)));
    const opened = /open(?:at2?)?\(.*"\/proc\/(\d+)\/.*O_(RDWR|WRONLY)/.exec(line);
    return opened !== null && targetIds.has(Number(opened[1]));
  });
}

test("the check itself detects forbidden calls", () => {
  const target = new Set([4242, 4243]);
  for (const line of [
    "11 ptrace(PTRACE_SEIZE, 4242, NULL, 0) = 0",
    "11 tgkill(4242, 4243, SIGSTOP) = 0",
    "11 process_vm_writev(4242, [], 1, [], 1, 0) = 8",
    '11 openat(AT_FDCWD, "/proc/4242/mem", O_RDWR|O_CLOEXEC) = 3',
    "11 prlimit64(4242, RLIMIT_CPU, {}, NULL) = 0",
  ])
    assert.deepEqual(offences(line, target), [line]);
  assert.deepEqual(
    offences('11 openat(AT_FDCWD, "/proc/4242/maps", O_RDONLY) = 3\n11 tgkill(11, 11, SIGABRT) = 0', target),
    [],
  );
  assert.deepEqual(offences("11 prlimit64(0, RLIMIT_NOFILE, NULL, {}) = 0", target), []);
});

for (const release of releasesOf(OTP_RELEASES, "29")) {
  test(`OTP ${release}: the target is never traced, signalled, stopped or written to`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "bench_load" });
    t.after(() => vm.kill());
    const folder = temporaryFolder(t);
    const targetIds = threadsOf(vm.pid);
    const commands = [
      ["record", vm.pid, "-d", 3, "-o", join(folder, "capture.pb.gz")],
      ["pstack", vm.pid, "--all"],
      ["doctor", vm.pid],
    ];
    for (const [index, args] of commands.entries()) {
      const log = join(folder, `strace-${index}`);
      const run = await runHelper(args, {
        wrapper: ["strace", "-f", "-qq", "-o", log, "-e", `trace=${WATCHED.join(",")}`],
      });
      assert.equal(run.code, 0, run.stderr);
      const trace = readFileSync(log, "utf8");
      assert.match(trace, /process_vm_readv\(|\/proc\/\d+\//, "strace saw the helper read the target");
      assert.deepEqual(offences(trace, targetIds), [], String(args[0]));
    }
    assert.match(readFileSync(`/proc/${vm.pid}/status`, "utf8"), /^TracerPid:\s+0$/m);
  });
}

/** @param {number} pid */
function threadsOf(pid) {
  const ids = new Set([pid]);
  for (const name of readdirSync(`/proc/${pid}/task`)) ids.add(Number(name));
  return ids;
}
