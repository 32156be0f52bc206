// What `npm run nightly` runs and `npm test` does not: repetition. docs/testing.md has the list.

/** Set by `npm run nightly`. */
const NIGHTLY = "EXTROSPECT_NIGHTLY";

export const isNightly = process.env[NIGHTLY] !== undefined;

/**
 * @template One
 * @param {readonly One[]} everyTest    what each `npm test` runs
 * @param {readonly One[]} [onlyNightly]
 * @returns {One[]}
 */
export const andNightly = (everyTest, onlyNightly = []) => [...everyTest, ...(isNightly ? onlyNightly : [])];
