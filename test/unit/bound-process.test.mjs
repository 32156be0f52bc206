// A program that is bound to a process ends with it, whatever that one's end.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { until } from "../until.mjs";

/** Whether it has ended, though its new parent may not have read its exit code. @param {number} pid */
function hasEnded(pid) {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

test("it ends though its starter is killed, it has become another program and it is stopped", async (t) => {
  if (boundToThis("KILL").length === 0) return t.skip("there is no setpriv");
  const program = `
    import { spawn } from "node:child_process";
    import { boundToThis } from ${JSON.stringify(import.meta.resolve("../../scripts/bound-process.mjs"))};
    const [command, ...args] = [...boundToThis("KILL"), "sh", "-c", "echo shell; exec sleep infinity"];
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
    child.stdout.once("data", () => console.log(child.pid));`;
  const starter = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => starter.kill("SIGKILL"));
  const pid = Number(String((await once(starter.stdout, "data"))[0]));
  t.after(() => {
    if (!hasEnded(pid)) process.kill(pid, "SIGKILL");
  });
  await until("the other program", () => readFileSync(`/proc/${pid}/comm`, "utf8") === "sleep\n");
  process.kill(pid, "SIGSTOP");
  assert.equal(hasEnded(pid), false);
  starter.kill("SIGKILL");
  await until("its end", () => hasEnded(pid));
});
