// The options of `npm test`.
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { statIfThere } from "./nearest-there.mjs";
import { Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";
import { shellWord } from "./shell-word.mjs";

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
  return path.startsWith("test/") ? (path.split("/")[1] ?? "") : "";
}

/**
 * The file that `--file` names.
 * @param {string} word   a path from the root, or an absolute one
 * @param {string[]} groups   names
 * @returns {string} from the root, as the groups list it
 * @throws {Problem} where it can be none of a group
 */
function namedFile(word, groups) {
  const next = "npm test -- --file PATH   with PATH from the root: test/unit/test-options.test.mjs";
  if (word === "") throw new Problem("--file names no file", "its path is empty", next);
  const full = resolve(ROOT, word);
  const found = statIfThere(full);
  // The root may be reached by a link.
  const path = relative(ROOT, found === undefined ? full : realpathSync(full));
  if (path === ".." || path.startsWith("../") || isAbsolute(path))
    throw new Problem(`${word} is not in this repository`, `its root is ${ROOT}`, next);
  if (found === undefined) throw new Problem(`there is no file ${path}`, `it was looked for in ${ROOT}`, next);
  const group = groupOfFile(path);
  if (found.isDirectory())
    throw new Problem(
      `${path || "the root of the repository"} is a folder`,
      "--file takes one test file",
      groups.includes(group) && path === join("test", group)
        ? `npm test -- --only ${group}   runs all of its tests`
        : path === ""
          ? "npm test   runs all tests"
          : next,
    );
  if (!groups.includes(group) || (group === "rust" && !path.endsWith(".rs")))
    throw new Problem(
      `${path} is no test file`,
      `those are in native-helper and in folders of test: ${groups.filter((name) => name !== "rust").join(", ")}`,
      next,
    );
  return path;
}

/**
 * @param {string[]} words   after `npm test --`
 * @param {{name: string, hasQuickForm: boolean, isNightly?: boolean, isOnlyNamed?: boolean}[]} known   the groups; one that is nightly runs when it is named, or by night
 * @param {NodeJS.ProcessEnv} [env]   in which npm puts the options that it takes for its own
 * @returns {TestOptions}
 */
export function testOptions(words, known, env = process.env) {
  refuseTakenByNpm(env);
  const { values, positionals } = parsed(words);
  const { quick = false, nightly = false, help = false, only = [], file: paths = [] } = values;
  if (paths.length > 0 && positionals.length > 0)
    throw new Problem(
      `${positionals.join(" ")} belongs to no option`,
      "--file takes one path",
      `npm test -- ${[...paths, ...positionals].map((path) => `--file ${shellWord(path)}`).join(" ")}`,
    );
  // What npm leaves of `npm test --only unit webviews`.
  if (positionals.some((word) => word !== "") && only.length === 0)
    throw new Problem(
      `${positionals.join(" ")} belongs to no option`,
      "names of groups are behind --only, and npm takes an option for its own that is not behind --",
      `npm test -- --only ${positionals.map(shellWord).join(" ")}`,
    );
  if (paths.length > 0 && (only.length > 0 || quick))
    throw new Problem(
      "--file names all that runs",
      "it goes with neither --only nor --quick",
      "npm test -- --file PATH [--file PATH ...]",
    );
  // `--only unit webviews` reads like one list, and so it is. A word without a name is none of them, not all.
  const named = [...only, ...positionals].flatMap((word) =>
    /[^,\s]/.test(word) ? word.split(/[,\s]+/).filter(Boolean) : [""],
  );
  const names = known.map(({ name }) => name);
  const unknown = named.filter((word) => !names.includes(word));
  if (unknown.length > 0)
    throw new Problem(
      unknown.some(Boolean)
        ? `there is no group of tests called ${unknown.filter(Boolean).join(", ")}`
        : "--only has an empty name",
      "--only takes names of groups",
      `npm test -- --only NAME ...   with NAME one of: ${names.join(", ")}`,
    );
  const files = [...new Set(paths.map((word) => namedFile(word, names)))];
  const asked = [...named, ...new Set(files.map(groupOfFile))];
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

/** Without them `npm test` would run all tests. @param {NodeJS.ProcessEnv} env */
function refuseTakenByNpm(env) {
  const taken = ["quick", "nightly", "file", "only"].find((name) => {
    const value = env[`npm_config_${name}`];
    return value !== undefined && !(name === "only" && OF_NPM.test(value));
  });
  if (taken === undefined) return;
  const command = taken === "nightly" ? "npm run nightly" : `npm test -- --${taken}`;
  const value = { file: " PATH", only: " NAME" }[taken] ?? "";
  throw new Problem(`npm has taken --${taken} for an option of its own`, "it is not behind --", `${command}${value}`);
}

/** `--only` of npm, which a configuration may have: the packages to install. */
const OF_NPM = /^(?:prod|production|dev|development)?$/;

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
