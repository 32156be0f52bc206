// The home folder of the user.
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/**
 * As `HOME` has it, unless that is empty or relative: caches would be in the folder of the repository, and VMs with another
 * root would not find them. Then as the system has it.
 * @returns {string} absolute; the root for a user without an entry in the system's list
 */
export function homeFolder() {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const found = find();
      if (isAbsolute(found)) return found;
    } catch {
      // The system does not know the user.
    }
  }
  return "/";
}
