// The rows that `npm run accuracy` makes: each workload on each release with each engine.
import { ALL_OTP_RELEASES } from "../vms/otp.mjs";
import { ALL_ENGINES } from "./engines.mjs";
import { NAPS } from "./naps.mjs";
import { REAL_PROGRAMS } from "./real-programs.mjs";
import { STORM } from "./reload-storm.mjs";
import { EXACT, EXACT_FRAME_POINTERS, LADDER, recursion, SPLITS, TAIL } from "./workloads.mjs";

export const WORKLOADS = [
  ...SPLITS,
  LADDER,
  EXACT,
  EXACT_FRAME_POINTERS,
  TAIL,
  recursion(100),
  recursion(1_000),
  recursion(10_000),
  recursion(50_000),
];
/** In the order of the page. */
const ALL = [...WORKLOADS, NAPS, STORM, ...REAL_PROGRAMS];
export const NAMES = ALL.map(({ name }) => name);

/**
 * The interpreter has no such frames, and OTP 23 no such option; one engine records blocked time.
 * @param {string} release @param {string} name @param {string} engine
 */
export const isOf = (release, name, engine) =>
  (name !== EXACT_FRAME_POINTERS.name || release !== "23") && (name !== NAPS.name || engine === NAPS.engine);

/** In the order of the page. @type {import("./report.mjs").KnownRow[]} */
export const KNOWN = ALL_OTP_RELEASES.flatMap((release) =>
  ALL.flatMap(({ name, title }) =>
    ALL_ENGINES.filter((engine) => isOf(release, name, engine)).map((engine) => ({ release, engine, name, title })),
  ),
);
