// The options of a script.
import { parseArgs } from "node:util";
import { explain, Problem } from "./problem.mjs";

/**
 * @template {import("node:util").ParseArgsConfig} T
 * @param {string} command   as people type it, `npm run bench`
 * @param {T} config
 * @returns {ReturnType<typeof parseArgs<T>>}
 * @throws {Problem} an option is unknown, or has no value: the text names it
 */
export function optionsOf(command, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    const known = Object.entries(config.options ?? {}).map(([name, { type }]) =>
      type === "string" ? `[--${name} VALUE]` : `[--${name}]`,
    );
    throw new Problem(
      "the arguments are wrong",
      error instanceof Error ? error.message : String(error),
      `${command} ${known.join(" ")}`,
    );
  }
}

/**
 * As `optionsOf`, of a script that has nothing to clean up: a wrong option ends it with exit code 2.
 * @template {import("node:util").ParseArgsConfig} T
 * @param {string} command
 * @param {T} config
 */
export function optionsOrExit(command, config) {
  try {
    return optionsOf(command, config);
  } catch (error) {
    console.error(explain(error));
    process.exit(2);
  }
}
