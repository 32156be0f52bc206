// The first minutes of new users in five projects: a nightly test drives the editor, and prints actions and seconds.
import { measurementsIn } from "../test/measured.mjs";
import { nodeOutput } from "./tests-say.mjs";

const TEST = "test/editor/first-minutes.night.test.mjs";
/** @satisfies {import("./wanted.mjs").Figure} */
const SECONDS = "from an open window to the hottest line";
/** @satisfies {import("./wanted.mjs").Figure} */
const ACTIONS = "actions from an open window to the hottest line";

/**
 * @typedef {object} FirstMinutes
 * @property {string} project
 * @property {number} [actions]   of the user
 * @property {number} seconds
 */

/** @param {(text: string) => void} progress @returns {Promise<FirstMinutes[]>} */
export async function firstMinutes(progress) {
  progress("the first minutes of a new user, in five projects");
  return firstMinutesIn(await nodeOutput([TEST]));
}

/** @param {string} output of the test @returns {FirstMinutes[]} in its order; a project that failed is not there */
export function firstMinutesIn(output) {
  const measured = measurementsIn(output);
  const actions = new Map(measured.filter(({ name }) => name === ACTIONS).map(({ where, value }) => [where, value]));
  return measured
    .filter(({ name }) => name === SECONDS)
    .map(({ where: project, value: seconds }) => {
      const count = actions.get(project);
      return { project, seconds, ...(count !== undefined && { actions: count }) };
    });
}
