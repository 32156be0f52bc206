// The day that packages bear, so that the same sources make the same package on any day.
import { run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { ROOT } from "./project.mjs";

/** When the sources are in no repository: a day is as good as another. */
const SOME_DAY_S = 1_767_225_600;

/** The value of SOURCE_DATE_EPOCH, else the time of the last commit. @returns {Promise<number>} seconds since 1970 */
export async function sourceDate() {
  const given = Number(process.env["SOURCE_DATE_EPOCH"]);
  if (Number.isSafeInteger(given) && given > 0) return given;
  if (findProgram("git") === null) return SOME_DAY_S;
  const { code, stdout } = await run("git", ["log", "-1", "--format=%ct"], { cwd: ROOT });
  return (code === 0 && Number(stdout.trim())) || SOME_DAY_S;
}
