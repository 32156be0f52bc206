// The repetition of `npm run nightly` within files that `npm test` runs, too. docs/testing.md has the list.

/** Set by `npm run nightly`, and by the bench for the tests whose figures it judges. */
export const NIGHTLY = "EXTROSPECT_NIGHTLY";

export const isNightly = process.env[NIGHTLY] !== undefined;

/**
 * @template One
 * @param {readonly One[]} everyTest    run by each `npm test`
 * @param {readonly One[]} [onlyNightly]
 * @returns {One[]}
 */
export const andNightly = (everyTest, onlyNightly = []) => [...everyTest, ...(isNightly ? onlyNightly : [])];

/**
 * The releases for a test that shows one promise on each of several releases, with a VM that is busy for seconds: by day one of them, by night
 * all. The tests have different ones by day, so that each release is met by several of each kind: test/unit/nightly.test.mjs.
 * @template Release
 * @param {readonly Release[]} all
 * @param {NoInfer<Release>} daily
 * @returns {Release[]}
 */
export function releasesOf(all, daily) {
  if (!all.includes(daily)) throw new Error(`${String(daily)} is none of ${all.join(", ")}`);
  return isNightly ? [...all] : [daily];
}
