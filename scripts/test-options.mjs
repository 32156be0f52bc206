// The options of `npm test`.
import { parseArgs } from "node:util";
import { Problem } from "./problem.mjs";

/**
 * @typedef {object} TestOptions
 * @property {string[]} only   names of the groups to run, in the order of `known`
 * @property {string[]} files   paths from the root; where there are some, only these of the groups run
 * @property {boolean} quick   only what needs neither root nor Debian
 * @property {boolean} nightly   everything, repetition among it
 * @property {boolean} help
 */

/** Unit tests with a real ssh server, accounts and network namespaces, which the machine has once. */
const HOST_TESTS = [
  "container-host",
  "containers-together",
  "detached-host",
  "far-machine",
  "give-up",
  "hosts",
  "hosts-together",
  "lent-recorder",
  "one-time-code",
  "ssh-host",
];

/**
 * The group of a test file, as `--only` takes it.
 * @param {string} path   from the root, of a file or of the folder of a group
 */
export function groupOfFile(path) {
  if (path.startsWith("native-helper/")) return "rust";
  if (HOST_TESTS.some((name) => path.startsWith(`test/unit/remote/${name}.`))) return "hosts";
  return path.split("/")[1] ?? "";
}

/**
 * @param {string[]} words   after `npm test --`
 * @param {{name: string, hasQuickForm: boolean, isNightly?: boolean, isOnlyNamed?: boolean}[]} known   the groups; one that is nightly runs when it is named, or by night
 * @returns {TestOptions}
 */
export function testOptions(words, known) {
  const { values, positionals } = parsed(words);
  const { quick = false, nightly = false, help = false, only = [], file: files = [] } = values;
  if (files.length > 0 && (only.length > 0 || positionals.length > 0 || quick))
    throw new Problem(
      "--file names all that runs",
      "it goes with neither --only nor --quick",
      "npm test -- --file PATH [--file PATH ...]",
    );
  // `--only unit webviews` reads like one list, and so it is.
  const named = [...only, ...positionals].flatMap((word) => word.split(",")).filter(Boolean);
  const asked = [...named, ...new Set(files.map(groupOfFile))];
  const names = known.map(({ name }) => name);
  const unknown = asked.filter((word) => !names.includes(word));
  if (unknown.length > 0)
    throw new Problem(
      `there is no group of tests called ${unknown.join(", ")}`,
      "--only takes names of groups",
      `npm test -- --only NAME ...   with NAME one of: ${names.join(", ")}`,
    );
  const usable = known.filter(({ hasQuickForm }) => hasQuickForm || !quick).map(({ name }) => name);
  const usual = known
    .filter(({ isNightly = false, isOnlyNamed = false }) => (nightly || !isNightly) && !isOnlyNamed)
    .map(({ name }) => name);
  const chosen = usable.filter((name) => (asked.length === 0 ? usual : asked).includes(name));
  const impossible = asked.filter((word) => !usable.includes(word));
  if (impossible.length > 0)
    throw new Problem(
      `no test of ${impossible.join(", ")} runs without root and Debian`,
      "--quick leaves out what needs them",
      `npm test -- --quick --only NAME ...   with NAME one of: ${usable.join(", ")}`,
    );
  return { only: chosen, files, quick, nightly, help };
}

/** @param {string[]} words */
function parsed(words) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        only: { type: "string", multiple: true },
        file: { type: "string", multiple: true },
        quick: { type: "boolean" },
        nightly: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new Problem(
      "npm test does not understand its arguments",
      error instanceof Error ? error.message : String(error),
      "npm test -- --help",
    );
  }
}
