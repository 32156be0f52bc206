// The rights of the user who starts the helper.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HELPER } from "../e2e/helper.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { notRun, rowOf } from "./look.mjs";

export const kind = "rights";
export const title = "Rights";
export const about = `VMs of OTP 25, on the machine itself; other kernels have other rules, see below. Without rights, there is only \`readv\`, no time in the kernel, and no priority for the reading thread: on a busy machine it is late, and more stacks stay unproven.

- "A user" has no capability.
- The installed copy is made by \`extrospect install\`.
- A container without root runs in a user namespace.
- "Paranoid" is \`perf_event_paranoid\`.`;

const NAMES = /** @type {const} */ ([
  "root, a VM of root",
  "root, a VM of a user",
  "installed copy, a VM of its user",
  "a user, their own VM",
  "root, a VM in a user namespace",
  "installed copy, a VM in a user namespace of its user",
  "root of a user namespace, a VM in it",
]);
const [OF_ROOT, OF_USER, OF_MEMBER, OF_THEMSELVES, CONTAINED, CONTAINED_OF_MEMBER, WITHIN] = NAMES;

/** Rows of users without rights have the setting of the machine, too. @type {import("./page.mjs").KnownRow[]} */
export const known = NAMES.map((name) => ({ name, row: new RegExp(`^${name}(?:, paranoid -?\\d+)?$`) }));

const USER = 65_534;
const GROUP = "extrospect-matrix";

/**
 * A user without capabilities: a shell between drops the rights that setpriv gives a program of root.
 * @param {number | string} group
 */
const asUser = (group) => [
  "setpriv",
  "--reuid",
  `${USER}`,
  "--regid",
  `${USER}`,
  "--groups",
  `${group}`,
  "--inh-caps=-all",
  "--",
  "/bin/sh",
  "-c",
  'exec "$@"',
  "sh",
];

/** @param {import("./kinds.mjs").Surroundings} surroundings */
export async function* rows({ folder }) {
  const otp = await prepareOtp("25");
  const paranoid = readFileSync("/proc/sys/kernel/perf_event_paranoid", "utf8").trim();
  /** In a user namespace of its own, as that namespace's root. @type {import("../vms/otp.mjs").OtpInstallation} */
  const contained = { ...otp, wrap: (argv) => ["unshare", "--user", "--map-root-user", "--", ...otp.wrap(argv)] };
  const here = mkdtempSync("/opt/extrospect-matrix-");
  chmodSync(here, 0o755);
  const copy = join(here, "extrospect");
  copyFileSync(HELPER, copy);
  chmodSync(copy, 0o755);
  try {
    const installed = install(join(here, "installed"));
    const asMember = (/** @type {string} */ name, /** @type {import("../vms/otp.mjs").OtpInstallation} */ of) =>
      installed.problem === undefined
        ? rowOf({
            kind,
            name,
            otp: of,
            uid: USER,
            folder,
            helper: () => ({ program: join(here, "installed/extrospect"), wrapper: asUser(installed.group) }),
          })
        : Promise.resolve(notRun(kind, name, installed.problem));
    const within = (/** @type {{pid: number}} */ { pid }) => ({
      program: copy,
      wrapper: [...asUser(USER), "nsenter", "--preserve-credentials", "--user", "--target", `${pid}`, "--"],
    });
    /** @type {[string, (name: string) => Promise<import("./page.mjs").Row>][]} */
    const all = [
      [OF_ROOT, (name) => rowOf({ kind, name, otp, folder })],
      [OF_USER, (name) => rowOf({ kind, name, otp, uid: USER, folder })],
      [OF_MEMBER, (name) => asMember(name, otp)],
      [
        `${OF_THEMSELVES}, paranoid ${paranoid}`,
        (name) =>
          rowOf({ kind, name, otp, uid: USER, folder, helper: () => ({ program: copy, wrapper: asUser(USER) }) }),
      ],
      [CONTAINED, (name) => rowOf({ kind, name, otp: contained, uid: USER, folder })],
      [CONTAINED_OF_MEMBER, (name) => asMember(name, contained)],
      [
        `${WITHIN}, paranoid ${paranoid}`,
        (name) => rowOf({ kind, name, otp: contained, uid: USER, folder, helper: within }),
      ],
    ];
    for (const [name, make] of all) yield { name, make: () => make(name) };
  } finally {
    rmSync(here, { recursive: true, force: true });
  }
}

/** As users get it, but with lists of groups of its own: those of this machine stay as they are. @param {string} to */
function install(to) {
  mkdirSync(to);
  const script =
    'mount --make-rprivate / && cp -a /etc "$2/etc" && mount --bind "$2/etc" /etc && "$0" install --to "$1" --group "$3" >&2 && getent group "$3"';
  const run = spawnSync("unshare", ["--mount", "sh", "-c", script, HELPER, to, join(to, ".."), GROUP], {
    encoding: "utf8",
  });
  const group = run.stdout?.split(":")[2];
  return run.status === 0 && group !== undefined
    ? { group }
    : { group: "", problem: `it could not be installed: ${run.stderr?.trim().split("\n").at(-1)}` };
}
