// The tests that prove nothing: skipped ones, and those that are still to do, which node counts as neither passed nor
// failed. Read from the output of test runners.

/** The directive behind the name of a test; in a name, the TAP reporter escapes the sign. */
const DIRECTIVE = / # (SKIP|TODO)\b ?(.*)$/;

/** The name as the test has it. @param {string} title   as the TAP reporter prints it */
export const unescaped = (title) => title.replace(/\\([\\#])/g, "$1");

/** @param {string} title   of a test, as the TAP reporter prints it */
export const isSkipped = (title) => DIRECTIVE.test(title);

/**
 * @param {string} tap   the output of node's TAP reporter
 * @returns {string[]} the name and the reason of each
 */
export function nodeSkips(tap) {
  return [...tap.matchAll(/^ *(not )?ok \d+ - (.*)$/gm)].flatMap(([, not, title = ""]) => {
    const [directive, kind, reason = ""] = DIRECTIVE.exec(title) ?? [];
    if (directive === undefined) return [];
    const state = kind === "SKIP" ? [] : [not === undefined ? "to do" : "to do, and fails"];
    return [unescaped(`${title.slice(0, -directive.length)}: ${because([...state, reason])}`)];
  });
}

/**
 * @param {string} output   of one test program of Rust
 * @returns {string[]} the name and the reason of each ignored test
 */
export function rustSkips(output) {
  return [...output.matchAll(/^test (\S+).* \.\.\. ignored(?:, (.*))?$/gm)].map(
    ([, name = "", reason = ""]) => `${name}: ${because([reason])}`,
  );
}

const NO_REASON = "no reason is given";
/** The reason that Node gives for a test that an option leaves out. */
const LEFT_OUT_BY_OPTION = "'only' option not set";

/** @param {string[]} reasons */
const because = (reasons) => reasons.filter(Boolean).join(": ") || NO_REASON;

/**
 * Whether a file in which no test passed states why: some are skipped or to do, each for a reason of its own.
 * @param {string[]} skips   of all its tests
 */
export const withReasons = (skips) =>
  skips.length > 0 && !skips.some((skip) => [NO_REASON, LEFT_OUT_BY_OPTION].some((none) => skip.endsWith(`: ${none}`)));
