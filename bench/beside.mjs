// Other work of the machine: processes that take processors in bursts of a second and less.
import { spawn } from "node:child_process";
import { exitAtEndingSignal } from "../scripts/ending-signals.mjs";

/** @param {number} count @returns {() => void} ends them; so does the end of this program */
export function workBeside(count) {
  const burst = `while :; do n=$(($(od -An -N2 -tu2 /dev/urandom) * 8)); while [ $n -gt 0 ]; do n=$((n - 1)); done; sleep 0.$(($(od -An -N1 -tu1 /dev/urandom) % 10)); done`;
  const others = Array.from({ length: count }, () => spawn("setsid", ["sh", "-c", burst], { stdio: "ignore" }));
  const end = () => {
    for (const { pid } of others)
      if (pid !== undefined)
        try {
          process.kill(-pid, "SIGKILL");
        } catch {
          // It has ended.
        }
    others.length = 0;
  };
  process.on("exit", end);
  exitAtEndingSignal();
  return end;
}
