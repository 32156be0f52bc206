// Debian's kernels, each in an emulated machine: 5.10, 6.1, 6.12 and the newest.
import { preparedKernel } from "../vms/kernels.mjs";
import { rowsInGuest } from "./guest-look.mjs";
import { notRun } from "./look.mjs";

export const kind = "kernels";
export const title = "Debian's kernels";
export const about = `Kernels of Debian 11, 12, 13 and sid, in emulated machines of two processors with a VM of OTP 25. By default, their \`perf_event_paranoid\` is 3, which requires CAP_SYS_ADMIN. The installed copy does not have it, and reports that 2 is needed.`;

/** @type {import("../vms/kernels.mjs").KernelSuite[]} */
const SUITES = ["bullseye", "bookworm", "trixie", "sid"];
const ROOT = "root";
const INSTALLED = "installed copy, paranoid 2";
const USER = "a user, paranoid 2";

/** Rows have the kernel's version, which only the machine has; without a kernel one row is for all. @type {import("./page.mjs").KnownRow[]} */
export const known = SUITES.flatMap((suite) =>
  [ROOT, INSTALLED, USER].map((who) => ({
    name: `Debian ${suite}: ${who}`,
    row: new RegExp(`^Debian ${suite}(?:, Linux [^:]+: ${who})?$`),
  })),
);
const COPY = "/usr/local/libexec/extrospect/extrospect";

/** A user with a VM of their own, and a group of those that may start the copy. */
const USERS = `
echo 'root:x:0:0::/:/bin/sh' > /etc/passwd; echo 'ann:x:1000:1000::/tmp:/bin/sh' >> /etc/passwd
echo 'root:x:0:' > /etc/group; echo 'ann:x:1000:' >> /etc/group; echo 'extrospect:x:900:ann' >> /etc/group
extrospect install > /dev/null 2>&1
cat > /bin/as-ann <<'END'
#!/bin/sh
exec su ann -c "$*"
END
chmod 755 /bin/as-ann
`;
const PARANOID_2 = "echo 2 > /proc/sys/kernel/perf_event_paranoid";

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ timeoutMs }) {
  for (const suite of SUITES) {
    const make = async () => {
      const kernel = await preparedKernel(suite).catch((/** @type {Error} */ error) => error);
      if (kernel instanceof Error)
        return [notRun(kind, `Debian ${suite}`, `its kernel could not be fetched: ${kernel.message.split("\n")[0]}`)];
      const named = (/** @type {string} */ who) => `Debian ${suite}, Linux ${kernel.version}: ${who}`;
      const looks = [
        { name: named(ROOT), as: "extrospect" },
        { name: named(INSTALLED), as: `as-ann ${COPY}`, before: PARANOID_2 },
        { name: named(USER), as: "as-ann extrospect" },
      ];
      return rowsInGuest({
        kind,
        looks,
        start: "su ann -c",
        first: USERS,
        where: `Linux ${kernel.version}, 2 processors, emulated`,
        suite,
        processors: 2,
        timeoutMs,
      });
    };
    yield { name: suite, make };
  }
}
