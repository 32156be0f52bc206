// VMs of the user of the other host, who may read no other, and the settings that lead the editor there.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as vscode from "vscode";
import { busyShell } from "../../vms/busy-shell.mjs";

/** @param program runs before the VM is busy @param more arguments @param environment of it besides that of the tests */
export async function startFarVm(
  program = "",
  more: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<ChildProcess> {
  const uid = Number(process.env["EXTROSPECT_FAR_UID"]);
  const vm = spawn("erl", busyShell({ program, more }), {
    uid,
    gid: uid,
    cwd: "/",
    env: { ...process.env, HOME: "/tmp", ...environment },
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(vm.stdout, "data");
  return vm;
}

/** @param name below `extrospect.remote` @param value undefined: as it is without a user */
export function setRemote(name: string, value: unknown): Thenable<void> {
  return vscode.workspace.getConfiguration("extrospect.remote").update(name, value, vscode.ConfigurationTarget.Global);
}

/** Has the editor's ssh lead there while the tests around it run, and other settings below `extrospect.remote` be so. */
export function withRemoteSettings(settings: Readonly<Record<string, unknown>> = {}): void {
  before(async () => {
    for (const [name, value] of Object.entries({ sshProgram: process.env["EXTROSPECT_SSH_PROGRAM"], ...settings }))
      await setRemote(name, value);
  });
  after(async () => {
    for (const name of ["sshProgram", ...Object.keys(settings)]) await setRemote(name, undefined);
  });
}

/** Has a busy VM run there while the tests around it do, and the editor's ssh lead there. @returns its process id, once they run */
export function withFarVm(): () => number {
  let vm: ChildProcess | undefined;
  before(async () => {
    vm = await startFarVm();
  });
  after(() => {
    // Whatever goes on of it ends with it.
    vm?.kill("SIGKILL");
  });
  withRemoteSettings();
  return () => vm?.pid ?? 0;
}
