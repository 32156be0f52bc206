import { homedir } from "node:os";
import { join } from "node:path";

/** Folder that outlives checkouts; never inside the repository. */
export function cacheFolder() {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "extrospect");
}
