// A shop in a git repository with two commits, each captured three times: the material of a comparison.
import "../../scripts/outer-repository.mjs";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { erlangDemoIn } from "../../scripts/demo-programs.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { HELPER } from "../../scripts/project.mjs";

export const BEFORE = "A shop";
export const AFTER = "Reports know all of history, invoices escape what needs it";
const RUNS = 3;
const SECONDS = 6;

/** By file: texts, each with its replacement in the second commit. @type {Record<string, [string, string][]>} */
const CHANGES = {
  "demo/src/demo_reports.erl": [
    ["lists:keyfind(cents, 1, Facts)", "lists:keyfind(cents, 1, lists:reverse(lists:seq(1, 30), Facts))"],
  ],
  "demo/src/demo_invoices.erl": [
    [
      "    << <<(escape_byte(Byte))/binary>> || <<Byte>> <= Text >>.",
      `    case binary:match(Text, [<<"<">>, <<"&">>]) of
        nomatch -> Text;
        _ -> << <<(escape_byte(Byte))/binary>> || <<Byte>> <= Text >>
    end.`,
    ],
  ],
  "demo/src/demo_pricing.erl": [["redeem(", "with_voucher("]],
};

/** @param {string} folder   with the Erlang demo in `demo`; captures are in its folder of that name afterwards */
export async function recordTwoVersions(folder) {
  writeFileSync(join(folder, ".gitignore"), "captures/\nebin/\n");
  mkdirSync(join(folder, "captures"));
  git(folder, "init", "-q", "-b", "main");
  await recordVersion(folder, BEFORE);
  for (const [file, changes] of Object.entries(CHANGES)) {
    let text = readFileSync(join(folder, file), "utf8");
    for (const [old, later] of changes) {
      if (!text.includes(old)) throw new Error(`${file} has no ${old}`);
      text = text.replaceAll(old, later);
    }
    writeFileSync(join(folder, file), text);
  }
  await recordVersion(folder, AFTER);
}

/** @param {string} folder @param {string} subject */
async function recordVersion(folder, subject) {
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", subject);
  const commit = git(folder, "rev-parse", "--short=7", "HEAD");
  for (let run = 1; run <= RUNS; run++) {
    const demo = await startDemo(erlangDemoIn(folder));
    try {
      const file = join(folder, `captures/shop-${run}-${commit}.pb.gz`);
      execFileSync(
        HELPER,
        ["record", String(demo.pid), "-d", String(SECONDS), "-F", "997", "-o", file, "--source-dir", folder],
        { stdio: "ignore" },
      );
    } finally {
      await demo.stop();
    }
  }
}

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  return execFileSync(
    "git",
    ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@host", "-c", "commit.gpgsign=false", ...args],
    { cwd: folder, encoding: "utf8" },
  ).trim();
}
