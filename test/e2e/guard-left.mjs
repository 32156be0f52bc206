// What tests of the installed helper have on this machine, as far as a run that is killed leaves it: the next one removes
// it. The locks of accounts and /etc are held during that, so that the files are no living test's.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeLeftAccounts } from "../accounts.mjs";

const OF_POLICIES = "/etc/extrospect";
export const POLICY = join(OF_POLICIES, "policy.toml");
/** Beside the policy of a test. */
const MARK = ".of-a-test";
/** Of the installed copies: a folder of each run begins so. */
export const INSTALLED = "/opt/extrospect-guard-";

/** The folder of policies, for a test that writes one. */
export function makePolicyFolder(folder = OF_POLICIES) {
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(join(folder, MARK), "");
}

/** One without any file, too: its test was killed before it wrote one. */
export function removeLeftPolicy(folder = OF_POLICIES) {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(MARK)) rmSync(folder, { recursive: true });
}

/** Under the locks of accounts and /etc. */
export function removeLeft() {
  removeLeftPolicy();
  removeLeftAccounts();
  for (const name of namesIn("/opt").map((name) => join("/opt", name)))
    if (name.startsWith(INSTALLED)) rmSync(name, { recursive: true, force: true });
  for (const name of namesIn("/etc/sudoers.d")) if (/^xtro\d+/.test(name)) rmSync(join("/etc/sudoers.d", name));
  const doas = "/etc/doas.conf";
  if (existsSync(doas) && readFileSync(doas, "utf8").startsWith("permit nopass xtro")) rmSync(doas);
}

/** @param {string} folder */
const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);
