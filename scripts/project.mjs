// Where things are in this repository.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
export const HELPER_WORKSPACE = join(ROOT, "native-helper");
/** The finished helper, as a path from ROOT: short enough to be shown. */
export const HELPER_FILE = "dist/helper/linux-x64/extrospect";
export const HELPER = join(ROOT, HELPER_FILE);
/** A helper for tests that can pretend not to know; never packed. */
export const FORGETFUL_HELPER = join(ROOT, "dist/test-helper/extrospect");
/** The packed extension. */
export const VSIX = join(ROOT, "dist/extrospect-linux-x64.vsix");
/** The same for Alpine and others with musl: the static helper runs there, too. */
export const ALPINE_VSIX = join(ROOT, "dist/extrospect-alpine-x64.vsix");
/** For every other machine: it opens captures. */
export const VSIX_WITHOUT_HELPER = join(ROOT, "dist/extrospect-without-helper.vsix");
