// VMs that are linked with musl, as those of Alpine are.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { installationUnder } from "../vms/otp.mjs";
import { notRun, rowOf } from "./look.mjs";

export const kind = "musl";
export const title = "musl";
export const about =
  "The helper is a static program, which needs no C library of the machine. A VM that is linked with musl is looked for in the root folder `musl` of the cache of the tests, with Erlang in `/usr`, as Alpine has it.";

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ folder }) {
  const name = "a VM linked with musl";
  const root = join(cacheFolder(), "musl");
  const make = async () => {
    if (!existsSync(join(root, "usr/bin/erl"))) return notRun(kind, name, "Debian has no such VM, and the index of Alpine's packages is not reached from here");
    return rowOf({ kind, name, otp: installationUnder("27", root), folder });
  };
  yield { name, make };
}
