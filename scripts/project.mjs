// Where things are in this repository.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
export const HELPER_WORKSPACE = join(ROOT, "native-helper");
/** The crates of the helper, by folders: docs/code-map.md. */
export const CRATES = join(HELPER_WORKSPACE, "crates");
export const HELPER_TARGET = "x86_64-unknown-linux-gnu";
/** The finished helper, as a path from ROOT: short enough to be shown. */
export const HELPER_FILE = "dist/helper/linux-x64/extrospect";
export const HELPER = join(ROOT, HELPER_FILE);
/** A helper for tests that can pretend not to know; never packed. */
export const FORGETFUL_HELPER = join(ROOT, "dist/test-helper/extrospect");
/** The packed extension. */
export const VSIX = join(ROOT, "dist/extrospect-linux-x64.vsix");
/** The same for Alpine and others with musl: the static helper runs there, too. */
export const ALPINE_VSIX = join(ROOT, "dist/extrospect-alpine-x64.vsix");
/** The helper as it is sent to hosts, for the package that has none for its own machine; a path from ROOT. */
export const HELPER_FOR_HOSTS_FILE = "dist/helper-for-hosts/linux-x64.gz";
/** For every other machine: it opens captures, and brings a helper for hosts alone. */
export const VSIX_WITHOUT_HELPER = join(ROOT, "dist/extrospect-without-helper.vsix");
/** As its packages and `extrospect --version` have it. */
export const HELPER_VERSION =
  /^\[workspace\.package\][^[]*?^version = "([^"]+)"/ms.exec(
    readFileSync(join(HELPER_WORKSPACE, "Cargo.toml"), "utf8"),
  )?.[1] ?? "0";
/** The helper for Debian and its like. */
export const DEB = join(ROOT, `dist/extrospect_${HELPER_VERSION}_amd64.deb`);

/** The folders of all crates of the helper. @returns {string[]} */
export function crateFolders() {
  return foldersIn(CRATES)
    .flatMap(foldersIn)
    .filter((folder) => existsSync(join(folder, "Cargo.toml")));
}

/** @param {string} folder @returns {string[]} */
function foldersIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}
