import { isAbsolute, join } from "node:path";
import { homeFolder } from "./home-folder.mjs";

/** Folder that outlives checkouts; never inside the repository, where a relative path would lead. */
export function cacheFolder() {
  const caches = process.env["XDG_CACHE_HOME"] ?? "";
  return join(isAbsolute(caches) ? caches : join(homeFolder(), ".cache"), "extrospect");
}
