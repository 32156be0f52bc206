// The helper with fewer rights than root's.
import { execFileSync } from "node:child_process";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { HELPER, runHelper } from "./helper.mjs";

export const NOBODY = 65534;
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all"];
/** Root, but without the rights for eBPF. */
export const WITHOUT_BPF = ["setpriv", "--inh-caps=-all", "--bounding-set=-bpf,-perfmon,-sys_admin"];

/** Runs a copy that anyone may run: the checkout may be in a folder others cannot enter.
 * @param {import("node:test").TestContext} t @param {(string | number)[]} args @param {string[]} [setpriv] more of its options */
export async function asNobody(t, args, setpriv = []) {
  const folder = openFolder("nobody");
  t.after(() => execFileSync("rm", ["-rf", folder]));
  execFileSync("cp", [HELPER, `${folder}/extrospect`]);
  execFileSync("chmod", ["0755", folder, `${folder}/extrospect`]);
  // The wrapper ends with the copy; the helper's own path becomes its first, unused argument.
  const script = 'shift; exec "$0" "$@"';
  return runHelper(args, { wrapper: [...AS_NOBODY, ...setpriv, "/bin/sh", "-c", script, `${folder}/extrospect`] });
}
