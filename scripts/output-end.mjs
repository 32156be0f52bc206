// A run whose output cannot be written any more: its reader has ended (`npm test | head -1`), or its disk is full. No
// user would see the result, so the run ends its programs, as Ctrl-C does, with a sentence in the other output and an
// exit code of its own. `.cache/gate.json` stays as it was, unless all tests have ended: then the result is theirs.
import { diskProblem, Problem } from "./problem.mjs";

/** As a shell reports a program that SIGPIPE ended. */
const CLOSED_EXIT_CODE = 141;

/**
 * Watches the output of this process: an error that nothing expects would end it at once, and leave its programs.
 * @param {() => void} end   the run
 * @returns {() => {error: unknown, exitCode: number} | undefined} what happened to the output
 */
export function watchOutput(end) {
  /** @type {{error: unknown, exitCode: number} | undefined} */
  let failed;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      if (failed !== undefined) return;
      failed =
        error.code === "EPIPE"
          ? {
              error: new Problem(
                "the output is not read any more",
                "the program that read it has ended, so the tests were ended, too",
                "npm test > test.log",
              ),
              exitCode: CLOSED_EXIT_CODE,
            }
          : { error: diskProblem(error) ?? error, exitCode: 1 };
      end();
    });
  return () => failed;
}
