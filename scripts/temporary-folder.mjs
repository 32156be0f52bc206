// Folders for temporary files that are gone after a run, however it ends: their names have the process that made them, and the
// next run removes those whose process has ended.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { cacheFolder } from "./cache-folder.mjs";
import { removeHalfMade, removeWithMounts } from "./half-made.mjs";

/** `extrospect-PID-` and six random characters: short, since the names of sockets below it have a limit. */
const OURS = /^extrospect-(\d+)-\w{6}$/;

/** `extrospect-test-USE-PID-` and six characters: a name that no user gives a file of their own. */
const OPEN = /^extrospect-test-[a-z]+-(\d+)-\w{6}$/;
/** Where programs of other users, and those with another root, find a folder that is not below a user's own. */
const OPEN_PLACE = "/var/tmp";

/** Of a test file, in its folder. */
const OF_A_FILE = "t";

/** A socket of the editor's server: the longest that tests make below their folder, with the longest process id. */
const LONGEST_SOCKET = "extrospect-4194304-xxxxxx/t/vscode-ipc-00000000-0000-0000-0000-000000000000.sock";
/** Linux takes no longer name of a socket. */
const SOCKET_BYTES = 107;
/** The longest path in which a folder for temporary files has room for all sockets. */
export const LONGEST_PLACE_BYTES = SOCKET_BYTES - `/${LONGEST_SOCKET}`.length;

/** Where Linux has a short one. */
const SHORT_PLACE = "/tmp";

/**
 * Where they are. A run that a test starts makes its own beside that of the test. A folder of the user's with a path that
 * leaves no room for sockets is for other programs alone.
 * @param {string} [own]   the folder for temporary files
 * @returns {string}
 */
export function place(own = tmpdir()) {
  const above = dirname(own);
  const found = basename(own) === OF_A_FILE && OURS.test(basename(above)) ? dirname(above) : own;
  return Buffer.byteLength(found) > LONGEST_PLACE_BYTES ? SHORT_PLACE : found;
}

/** Those of runs that have ended. @param {string} [folder] */
export const removeLeftFolders = (folder = place()) => removeHalfMade(folder, OURS);

/**
 * The path of a folder in that place, which is not there yet. An installation with another root has it there.
 * @param {string} use   a word
 */
export const openPath = (use) =>
  `${OPEN_PLACE}/extrospect-test-${use}-${process.pid}-${randomBytes(3).toString("hex")}`;

/** Such a folder on this machine. Its test removes it; this is for the name. @param {string} use   a word @returns {string} */
export function openFolder(use) {
  const folder = openPath(use);
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Those of tests that were killed. @param {string[]} [places] */
export function removeLeftOpenFolders(places = openPlaces()) {
  for (const place of places) removeHalfMade(place, OPEN);
}

/** Of this machine and of each prepared root. @param {string} [roots] */
export function openPlaces(roots = cacheFolder()) {
  const names = existsSync(roots) ? readdirSync(roots) : [];
  return [OPEN_PLACE, ...names.map((name) => join(roots, name, OPEN_PLACE))];
}

/**
 * Does something with a folder, and removes it.
 * @template T
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(place(), `extrospect-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    removeWithMounts(folder);
  }
}

/**
 * A folder for all temporary files of a test file, for any user as the system's is.
 * @param {string} folder   where it is made
 * @returns {string}
 */
export function folderOfFile(folder) {
  const made = join(folder, OF_A_FILE);
  mkdirSync(made);
  chmodSync(folder, 0o711);
  chmodSync(made, 0o1777);
  return made;
}
