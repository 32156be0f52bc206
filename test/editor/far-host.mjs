// A real sshd that the editor knows nothing of but its name, `far`.
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before } from "node:test";
import { Sshd } from "../hosts/sshd.mjs";

/** Call it in a `describe`, before its scene, and run the returned `leave` after it. */
export function farHost() {
  const shim = mkdtempSync(join(tmpdir(), "extrospect-ssh-"));
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(shim, { recursive: true })];
  /** @type {Sshd | undefined} */
  let sshd;
  before(async () => {
    sshd = await Sshd.start({ after: (one) => undo.push(one) }, { asRoot: true });
    symlinkSync(sshd.ssh, join(shim, "ssh"));
  });
  return {
    get sshd() {
      return /** @type {Sshd} */ (sshd);
    },
    machineSettings: { "extrospect.remote.sshProgram": join(shim, "ssh") },
    leave: () => {
      for (const one of undo.reverse()) one();
    },
  };
}
