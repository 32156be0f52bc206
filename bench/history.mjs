// How long a history of many captures takes on the command line: real captures, each as if taken of another commit.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../scripts/project.mjs";
import { takenOf } from "../test/changed-capture.mjs";
import { HELPER } from "../test/e2e/helper.mjs";
import { summary } from "./stats.mjs";

const run = promisify(execFile);
const RECORDED = join(ROOT, "native-helper/crates/verdict/compare/tests/recorded");
const CAPTURES = 1_000;
const CAPTURES_OF_A_COMMIT = 3;
const FIRST_UNIX_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const MOST_OUTPUT_BYTES = 1 << 28;

/** A folder with captures of 10 s at 997 Hz, as many as are wanted. @param {string} folder */
export function writeHistory(folder, captures = CAPTURES) {
  const recorded = readdirSync(RECORDED).filter((name) => name.endsWith(".pb.gz"));
  const files = recorded.map((name) => readFileSync(join(RECORDED, name)));
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < captures; number++) {
    const file = files[number % files.length];
    if (file === undefined) throw new Error(`no capture in ${RECORDED}`);
    const commit = Math.floor(number / CAPTURES_OF_A_COMMIT)
      .toString(16)
      .padStart(7, "0")
      .padEnd(40, "0");
    const taken = takenOf(file, { commit, startedUnixMs: FIRST_UNIX_MS + number * HOUR_MS });
    writeFileSync(join(folder, `${`${number}`.padStart(5, "0")}.pb.gz`), taken);
  }
}

/** @param {{folder: string, rounds: number, progress: (text: string) => void, helper?: string}} wanted */
export async function historyTimes({ folder, rounds, progress, helper = HELPER }) {
  const captures = join(folder, "history");
  writeHistory(captures);
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    const { stdout } = await run(
      helper,
      ["diff", "--history", captures, "--function", "demo_pricing:best_price/2", "--json"],
      { maxBuffer: MOST_OUTPUT_BYTES },
    );
    times.push(performance.now() - startedMs);
    const history = JSON.parse(stdout);
    progress(`a history of ${CAPTURES} captures, ${history.commits.length} commits, ${round + 1} of ${rounds}`);
  }
  return { history_ms: summary(times) };
}
