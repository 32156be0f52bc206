// The contents of a recording of gt_reload: one module, reloaded all the time in two versions with lines of their own.
// A function that is never reloaded shows the version of each stack.
import { join } from "node:path";
import { helperJson } from "../e2e/helper.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { engineOption } from "./engines.mjs";
import { summed } from "./quality-sums.mjs";
import { upperBound } from "./statistics.mjs";

/** The mark where code was replaced and it is unknown which version ran. */
export const RELOADED_MARK = "[code reloaded]";
/** The name of a frame, of that mark without its reason. @param {{name: string}} frame */
const withoutReason = ({ name }) => (name.startsWith("[code reloaded: ") ? RELOADED_MARK : name);
/** The marks of unknown frames. */
const MARKS = [RELOADED_MARK, "[unproven]", "[not copied]", "[not unwound]", "[unknown JIT code]"];
/** Lines from here on are those of version 2. */
const VERSION_2 = 1000;

/**
 * @typedef {object} StormSeen   counts of samples, of the process that runs the reloaded module
 * @property {number} samples
 * @property {number} checked    with a frame that shows the version
 * @property {number} marked     with a frame that is not known
 * @property {number} reloaded   of those, because code was replaced
 * @property {number} named      with a named frame of the reloaded module
 * @property {Map<string, number>} wrong   faults that no stack of the program can show
 * @property {number} reloadedOfAll   as `reloaded`, of all processes
 * @property {number} beside     of the process that runs code to which nothing happens, in that code
 * @property {Map<string, number>} doubted   of those, with a mark that stands for a doubt about code
 */

/** Runs nothing but code that is never reloaded. */
const BYSTANDER = "gt_bystander";
/**
 * The marks where the owner of code, or the start of the stack, is unknown. Nothing else can be in doubt in a stack of
 * the sample itself.
 */
const DOUBTS = [RELOADED_MARK, "[unproven]", "[unknown JIT code]"];

/**
 * @param {import("../pprof-reader.mjs").Profile} profile
 * @returns {StormSeen}
 */
export function judgeStorm(profile) {
  /** @type {StormSeen} */
  const seen = {
    samples: 0,
    checked: 0,
    marked: 0,
    reloaded: 0,
    named: 0,
    wrong: new Map(),
    reloadedOfAll: 0,
    beside: 0,
    doubted: new Map(),
  };
  const counted = countIndex(profile);
  for (const { frames, values, labels } of profile.samples) {
    const count = Number(values[counted]);
    const names = frames.map(withoutReason);
    // Or the mark itself, where not even the function that ran is known.
    if (labels["process"] === BYSTANDER && (frames[0]?.kind === "erlang" || DOUBTS.includes(names[0] ?? ""))) {
      seen.beside += count;
      if (DOUBTS.some((mark) => names.includes(mark)))
        seen.doubted.set(names.join(";"), (seen.doubted.get(names.join(";")) ?? 0) + count);
    }
    if (names.includes(RELOADED_MARK)) seen.reloadedOfAll += count;
    if (!names.includes("gt_reload:runner/0")) continue;
    seen.samples += count;
    if (MARKS.some((mark) => names.includes(mark))) seen.marked += count;
    if (names.includes(RELOADED_MARK)) seen.reloaded += count;
    const wrong = (/** @type {string} */ reason) => seen.wrong.set(reason, (seen.wrong.get(reason) ?? 0) + count);
    const version = names.find((name) => /^gt_reload:in_version_[12]\/1$/.test(name))?.at(-3);
    const reloaded = frames.filter(({ name }) => name.includes("gt_reloaded:"));
    if (reloaded.length > 0) seen.named += count;
    for (const { name } of reloaded) {
      // The tables before and behind the functions run nothing, and no function calls the fillers, which only take up
      // room.
      if (/::code(Header|Footer)|:filler_/.test(name)) wrong(`${name} in version ${version}`);
    }
    if (version === undefined) {
      // Just calling, or returning: both versions are legal, but not in one stack.
      if (new Set(reloaded.map(({ line }) => line > VERSION_2)).size > 1) wrong(names.join(";"));
      continue;
    }
    seen.checked += count;
    for (const { name, line } of reloaded) {
      if (line <= 0 || line > VERSION_2 !== (version === "2")) wrong(`${name}:${line} in version ${version}`);
    }
    // No frame is lost either: the module called the code under the mark.
    const below = names.slice(names.findIndex((name) => name.startsWith("gt_reload:in_version_")) + 1);
    if (!["gt_reloaded:work/2", "gt_reloaded:other_work/2", ...MARKS].includes(below[0] ?? ""))
      wrong(`called by ${below[0]}`);
  }
  return seen;
}

/** Of the samples of the process that runs the module: more of them without a name fail the row. */
const MOST_RELOADED = 0.2;
/** The row of the table. */
export const STORM = { name: "reload", title: "50 reloads a second" };

/**
 * @param {import("./workloads.mjs").Plan} plan
 * @returns {Promise<Omit<import("./report.mjs").Row, "release" | "engine" | "name" | "date">>}
 */
export async function measureStorm({ release, engine, hz, seconds, recordings, folder }) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_reload", args: [50] });
  const qualities = [];
  let [samples, reloaded, checked, wrong] = [0, 0, 0, 0];
  /** @type {Map<string, number>} */
  const reasons = new Map();
  try {
    for (let index = 0; index < recordings; index += 1) {
      const file = join(folder, `reload-${release}-${engine}-${index}.pb.gz`);
      qualities.push(
        await helperJson(["record", vm.pid, "-d", seconds, "-F", hz, "-o", file, ...engineOption(engine)]).then(
          (record) => record.quality,
        ),
      );
      const seen = judgeStorm(readProfile(file));
      samples += seen.samples;
      reloaded += seen.reloaded;
      checked += seen.checked;
      for (const [reason, count] of seen.wrong) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + count);
        wrong += count;
      }
    }
  } finally {
    vm.kill();
  }
  const share = samples === 0 ? 1 : reloaded / samples;
  const faults = [...reasons].map(([reason, count]) => `wrong: ${reason} (${count} samples)`);
  if (share > MOST_RELOADED)
    faults.push(`${RELOADED_MARK} in ${(100 * share).toFixed(1)} % of the samples of the reloaded module's process`);
  return {
    ...summed(qualities),
    title: `${STORM.title}, ${(100 * share).toFixed(1)} % \`${RELOADED_MARK}\``,
    checked,
    wrong,
    faults,
    wrongBound: upperBound(wrong, checked),
    reasons: [...reasons].map(([reason, count]) => `${reason} (${count})`),
    allowancePoints: null,
    shares: [],
    slope: null,
    overheadPercent: null,
  };
}
