// Where the committed captures are, and the commands whose answers about them the gate compares to the letter.
import { copyFileSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makeCompareProject } from "../vms/compare.mjs";
import { OWN_PROJECT } from "../vms/own.mjs";
import { runHelper } from "../e2e/helper.mjs";
import { makeHistory } from "./history-folder.mjs";

export const FIXTURES = join(import.meta.dirname, "fixtures");
export const EXPECTED = join(FIXTURES, "expected");

/** @param {string} name @param {number} from @param {number} to */
const runs = (name, from, to) => Array.from({ length: to - from + 1 }, (_, index) => `${name}-${from + index}.pb.gz`);
const COMMITS = [...runs("before", 1, 3), "--", ...runs("after", 1, 3)];
const SAME = [...runs("before", 1, 3), "--", ...runs("before", 1, 3)];
const ORDERS = [...runs("orders", 1, 2), "--", ...runs("faster-orders", 1, 2)];

/**
 * Each case: the name of its expected answer, and the arguments.
 * @type {Record<string, string[]>}
 */
export const CASES = {
  top: ["top", "messages.pb.gz", "-n", "40"],
  "top-only-erlang": ["top", "messages.pb.gz", "--only-erlang", "-n", "40"],
  "top-elixir": ["top", "elixir.pb.gz", "-n", "0"],
  "top-own": ["top", "own.pb.gz", "--own", "own", "-n", "0"],
  "top-own-lines": ["top", "own.pb.gz", "--own", "own", "--by", "line", "-n", "0"],
  "blame-copy": ["blame", "copy", "messages.pb.gz"],
  "blame-copy_struct": ["blame", "copy_struct", "messages.pb.gz"],
  "blame-gc": ["blame", "gc", "collections.pb.gz"],
  "blame-gc-callers": ["blame", "gc", "collections.pb.gz", "--callers"],
  diff: ["diff", ...COMMITS, "--source-dir", "shop"],
  "diff-own": ["diff", ...COMMITS, "--own", "shop"],
  "diff-all": ["diff", ...COMMITS, "--own", "shop", "--all"],
  "diff-markdown": ["diff", ...COMMITS, "--own", "shop", "--markdown"],
  "diff-one-a-side": ["diff", "before-1.pb.gz", "--", "after-1.pb.gz", "--own", "shop"],
  "diff-work": ["diff", ...ORDERS],
  "diff-share": ["diff", ...ORDERS, "--measure", "share"],
  "diff-not-counted": ["diff", "orders-not-counted.pb.gz", "--", ...runs("faster-orders", 1, 2)],
  "gate-faster": ["diff", ...COMMITS, "--source-dir", "shop", "--fail-if", "faster>2%"],
  "gate-own-slower": ["diff", ...COMMITS, "--own", "shop", "--fail-if", "own.slower>5%"],
  "gate-new": ["diff", ...COMMITS, "--own", "shop", "--fail-if", "own.new>1pp"],
  "gate-same": ["diff", ...SAME, "--source-dir", "shop", "--fail-if", "slower>20%"],
  "gate-blind": ["diff", ...SAME, "--source-dir", "shop", "--fail-if", "slower>2%", "--fail-if", "whole.slower>3%"],
  "gate-blind-markdown": [
    ...["diff", ...SAME, "--source-dir", "shop", "--markdown"],
    ...["--fail-if", "slower>20%", "--fail-if", "whole.slower>3%", "--fail-if", "gc.slower>1%"],
  ],
  "gate-touched": [
    ...["diff", ...COMMITS, "--own", "shop"],
    ...["--fail-if", "touched.faster>2%", "--fail-if", "touched.slower>20%", "--fail-if", "touched.own.new>1pp"],
  ],
  "gate-touched-nothing": ["diff", ...SAME, "--own", "shop", "--fail-if", "touched.slower>1%"],
  "gate-touched-unknown": ["diff", ...COMMITS, "--source-dir", "own", "--fail-if", "touched.slower>1%"],
  "diff-no-pairs": ["diff", ...COMMITS, "--source-dir", "shop", "--paired"],
  "gate-not-counted": ["diff", "orders-not-counted.pb.gz", "--", ...runs("faster-orders", 1, 2), "--measure", "work"],
  "bisect-bad": ["diff", ...COMMITS, "--fail-if", "cmp_shop:twice/2.self.faster>2%", "--bisect"],
  "bisect-good": ["diff", ...COMMITS, "--fail-if", "cmp_shop:twice/2.self.slower>10%", "--bisect"],
  history: ["diff", "--history", "history", "--source-dir", "history-repository"],
  "history-function": [
    "diff",
    "--history",
    "history",
    "--function",
    "demo_pricing:best_price/2",
    "--source-dir",
    "history-repository",
  ],
  "history-markdown": ["diff", "--history", "history", "--source-dir", "history-repository", "--markdown"],
  "history-gate": [
    "diff",
    "--history",
    "history",
    "--source-dir",
    "history-repository",
    "--fail-if",
    "demo_pricing:best_price/2.total.slower>history",
  ],
};

/**
 * The captures, beside the sources that they are of, where the commands run: no answer has a path of this machine.
 * @param {string} folder
 */
export async function laidOut(folder) {
  for (const name of readdirSync(FIXTURES).filter((name) => name.endsWith(".pb.gz")))
    copyFileSync(join(FIXTURES, name), join(folder, name));
  await makeCompareProject(join(folder, "shop"));
  cpSync(OWN_PROJECT, join(folder, "own"), { recursive: true });
  for (const name of ["history", "history-repository"]) mkdirSync(join(folder, name));
  makeHistory({ repository: join(folder, "history-repository"), folder: join(folder, "history") });
}

/** What a command answers in such a folder, in CI as elsewhere. @param {string} folder @param {string[]} args */
export const answered = (folder, args) =>
  runHelper(args, {
    wrapper: ["env", "-u", "CI", "-C", folder, "TZ=UTC", "LC_ALL=C.UTF-8", `GIT_CEILING_DIRECTORIES=${folder}`],
  });

/** The whole answer as the text to compare. @param {string[]} args @param {import("../e2e/helper.mjs").Run} run */
export const textOf = (args, { code, stdout, stderr }) =>
  `$ extrospect ${args.join(" ")}\nexit code ${code}\n\n${stdout}${stderr === "" ? "" : `\nstandard error:\n${stderr}`}`;
