// A lock between processes, clones and runs. The kernel ends it with its owner, however that ends, and so no process takes it from
// an owner that lives: work that takes long on a busy machine is not done twice.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { Interrupted, Problem } from "./problem.mjs";
import { shellWord } from "./shell-word.mjs";

/**
 * `$0` is locked as long as the standard input is open, and is gone afterwards. One that has waited for a file that its owner
 * has removed begins again.
 */
const HOLDER = `
while :; do
  exec 9>>"$0" || exit 1
  flock 9 || exit 1
  [ "$0" -ef /proc/self/fd/9 ] && break
done
echo held
cat > /dev/null
rm -f "$0"
`;

/**
 * @param {string} file   in a folder that is there
 * @param {AbortSignal} [signal]   ends the wait
 * @returns {Promise<() => Promise<unknown>>} unlocks, and waits until it is
 * @throws {Problem} it cannot be locked
 */
export async function fileLock(file, signal) {
  // Ctrl-C is sent to the whole group of this process, which unlocks when it has ended its work.
  const holder = spawn("/bin/sh", ["-c", HOLDER, file], { stdio: ["pipe", "pipe", "pipe"], detached: true });
  const { stdin, stdout, stderr } = holder;
  let said = "";
  stderr.on("data", (chunk) => (said = `${said}${chunk}`.slice(-1000)));
  stdin.on("error", () => {}); // it has ended
  const ended = once(holder, "exit").catch(() => {});
  const interrupt = () => {
    try {
      if (holder.pid !== undefined) process.kill(-holder.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  signal?.addEventListener("abort", interrupt);
  if (signal?.aborted) interrupt();
  try {
    const isHeld = await Promise.race([once(stdout, "data").then(() => true), ended.then(() => false)]);
    if (signal?.aborted) throw new Interrupted();
    if (!isHeld)
      throw new Problem(
        `${file} cannot be locked`,
        said.trim() || "flock does not work there",
        `ls -ld ${shellWord(dirname(file))}`,
      );
  } catch (error) {
    stdin.destroy();
    throw error;
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
  return () => {
    stdin.end();
    return ended;
  };
}
