// Every third-party crate that the lock files name, by its bytes and with a reason: native-helper/pinned-crates.json.
//   node scripts/pinned-crates.mjs            prints each deviation from the reviewed state
//   node scripts/pinned-crates.mjs --write    takes over the lock files; reasons of new crates are written by hand
// Comparing them with a database of advisories needs a network: see `npm run advisories`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HELPER_WORKSPACE } from "./project.mjs";

const FILE = join(HELPER_WORKSPACE, "pinned-crates.json");
const LOCKS = ["Cargo.lock", "fuzz/Cargo.lock"];
const REGISTRY = "registry+https://github.com/rust-lang/crates.io-index";
const SHORTEST_REASON = 15;

/**
 * @typedef {object} Pinned
 * @property {string} name
 * @property {string} version
 * @property {string} checksum   SHA-256 of the crate's file, as crates.io has it
 * @property {string} reason     its purpose, and the crate of the workspace that needs it
 */

/** @param {string} lock @returns {{name: string, version: string, source: string, checksum: string}[]} crates of others */
export function lockedCrates(lock) {
  const value = (/** @type {string} */ entry, /** @type {string} */ key) =>
    new RegExp(`^${key} = "([^"]*)"`, "m").exec(entry)?.[1] ?? "";
  return lock
    .split("[[package]]")
    .slice(1)
    .map((entry) => ({
      name: value(entry, "name"),
      version: value(entry, "version"),
      source: value(entry, "source"),
      checksum: value(entry, "checksum"),
    }))
    .filter(({ source }) => source !== "");
}

/**
 * @param {string[]} locks
 * @param {Pinned[]} pinned
 * @returns {string[]} the deviations from the reviewed state
 */
export function pinningFaults(locks, pinned) {
  const locked = locks.flatMap(lockedCrates);
  const key = (/** @type {{name: string, version: string}} */ { name, version }) => `${name} ${version}`;
  const known = new Map(pinned.map((one) => [key(one), one]));
  const used = new Set(locked.map(key));
  return [
    ...locked
      .filter(({ source }) => source !== REGISTRY)
      .map((one) => `${key(one)} is not from crates.io: ${one.source}`),
    ...locked
      .filter((one) => !known.has(key(one)))
      .map((one) => `${key(one)} is new: look at it, and say what it is there for`),
    ...locked
      .filter((one) => known.has(key(one)) && known.get(key(one))?.checksum !== one.checksum)
      .map((one) => `${key(one)} is of other bytes than those that were looked at`),
    ...pinned.filter((one) => !used.has(key(one))).map((one) => `${key(one)} is not used any more`),
    ...pinned.filter(({ reason }) => reason.length < SHORTEST_REASON).map((one) => `${key(one)} has no reason`),
  ];
}

/** @param {string[]} locks @param {Pinned[]} pinned @returns {Pinned[]} */
function updated(locks, pinned) {
  const reasons = new Map(pinned.map(({ name, reason }) => [name, reason]));
  const all = new Map(
    locks
      .flatMap(lockedCrates)
      .map(({ name, version, checksum }) => [
        `${name} ${version}`,
        { name, version, checksum, reason: reasons.get(name) ?? "" },
      ]),
  );
  return [...all.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

export const readLocks = () => LOCKS.map((name) => readFileSync(join(HELPER_WORKSPACE, name), "utf8"));
/** @returns {Pinned[]} */
export const readPinned = () => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : []);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--write"))
    writeFileSync(FILE, `${JSON.stringify(updated(readLocks(), readPinned()), null, 2)}\n`);
  const faults = pinningFaults(readLocks(), readPinned());
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
