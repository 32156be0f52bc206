// What killed runs have left outside of their folders for temporary files. Needs root.
import { removeHalfMade } from "../scripts/half-made.mjs";
import { removeLeftOpenFolders } from "../scripts/temporary-folder.mjs";
import { removeLeftAccountsUnlessLocked } from "./accounts.mjs";
import { removeLeftContainers } from "./hosts/podman-left.mjs";
import { removeLeftDisks } from "./small-disks.mjs";

/** The folder of a server of ssh, with the process id of its test. */
const OF_SSHD = /^extrospect-sshd-(\d+)-/;

/** Those of killed tests, with the disks in them. @param {string} [place] */
export function removeLeftServers(place = "/opt") {
  removeLeftDisks();
  removeHalfMade(place, OF_SSHD);
}

/**
 * At the beginning of a run, which may have no test that would remove it.
 * @param {{uid?: number | undefined, place?: string, openPlaces?: string[], removeAccounts?: () => void, removeContainers?: () => void}} [options]
 */
export function removeLeftOnMachine({
  uid = process.getuid?.(),
  place,
  openPlaces,
  removeAccounts = removeLeftAccountsUnlessLocked,
  removeContainers = removeLeftContainers,
} = {}) {
  if (uid !== 0) return;
  removeAccounts();
  removeLeftServers(place);
  removeContainers();
  // At last: accounts and containers that use such folders have ended.
  removeLeftOpenFolders(openPlaces);
}
