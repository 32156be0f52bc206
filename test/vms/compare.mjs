// Two commits of one program, with changes planted between them: a repository of its own, each commit checked out,
// compiled and run as by a user who compares their work.
import "../../scripts/outer-repository.mjs";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { NIF_HEADERS, runErl } from "./vm.mjs";

const run = promisify(execFile);
const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "compare");

/**
 * The changes of the second commit to the first, by file: texts, each with its replacement. All together takes about as
 * long as before, so that a share that changes is a function that changed.
 * @type {Record<string, [string | RegExp, string][]>}
 */
const CHANGES = {
  "src/cmp_shop.erl": [
    ["tenth(3000, Sum)", "tenth(3300, Sum)"],
    ["twice(1900, A)", "twice(950, A)"],
    [/\brenamed\(/g, "called_otherwise("],
    ["D = moved(1000, C)", "D = cmp_moved:moved(1000, C)"],
    [/moved\(0, X\) -> X;\nmoved[\s\S]*?Later\)\.\n\n/, ""],
    [
      "    Sum = lists:foldl(",
      "    _ = lists:filter(fun(Number) -> Number > 798 end, lists:nthtail(790, Numbers)),\n    Sum = lists:foldl(",
    ],
  ],
  "c_src/cmp_nif.c": [["#define ROUNDS 1000", "#define ROUNDS 1300"]],
};
const MOVED = `%% What was in cmp_shop before.
-module(cmp_moved).
-export([moved/2]).

-define(STEP(X), (((X) * 1103515 + 12345) band 16#3ffffff)).
-define(EIGHT(X), ?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(?STEP(X))))))))).

moved(0, X) -> X;
moved(Count, X) ->
    Odd = X bxor 8,
    Later = ?EIGHT(Odd),
    moved(Count - 1, Later).
`;

/**
 * A repository with both commits, tagged `before` and `after`.
 * @param {string} folder   that is not there yet
 */
export async function makeCompareProject(folder) {
  cpSync(PROJECT, folder, { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "_build\n*.pb.gz\n");
  const git = gitIn(folder);
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-q", "-m", "The program as it was");
  await git("tag", "before");
  for (const [file, changes] of Object.entries(CHANGES)) {
    let text = readFileSync(join(folder, file), "utf8");
    for (const [old, later] of changes) {
      const changed = text.replace(old, later);
      if (changed === text) throw new Error(`${file} has nothing like ${String(old)}`);
      text = changed;
    }
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, "src/cmp_moved.erl"), MOVED);
  await git("add", "-A");
  await git("commit", "-q", "-m", "Changes of all kinds");
  await git("tag", "after");
}

/** One time and no settings of a user: the same sources have the same commits everywhere, as committed captures need. */
const COMMITTED = {
  GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** @param {string} folder */
const gitIn =
  (folder) =>
  async (/** @type {string[]} */ ...args) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"];
    await run("git", ["-C", folder, ...identity, ...args], { env: { ...process.env, ...COMMITTED } });
  };

/**
 * Checks a commit out, compiles it with that release, and runs it.
 * @param {string} folder
 * @param {string} commit
 * @param {import("./otp.mjs").OtpInstallation} otp   that sees the folder
 * @param {string} inside   the folder as the installation sees it
 */
export async function runCompareProject(folder, commit, otp, inside) {
  await gitIn(folder)("checkout", "-q", commit);
  const built = join(folder, "_build");
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built);
  const sources = readdirSync(join(folder, "src")).map((name) => `src/${name}`);
  const [command, ...args] = otp.wrap([
    "/bin/sh",
    "-c",
    'cd "$0" && exec "$@"',
    inside,
    "erlc",
    "+debug_info",
    "-o",
    "_build",
    ...sources,
  ]);
  await run(command, args);
  const flags = [
    "-O2",
    "-Wall",
    "-Werror",
    "-shared",
    "-fPIC",
    "-fno-stack-protector",
    "-nostdlib",
    `-I${NIF_HEADERS}`,
  ];
  await run("cc", [...flags, "-o", join(built, "cmp_nif.so"), join(folder, "c_src/cmp_nif.c")]);
  return runErl({ otp, module: "cmp_shop", emulatorFlags: ["-pa", `${inside}/_build`] });
}
