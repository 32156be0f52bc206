// Recording until there are enough samples, however busy the machine is, and the conditions for them on any machine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { measured } from "../measured.mjs";
import { countIndex, readUnfinishedProfile } from "../pprof-reader.mjs";
import { helperJson, record, runHelper, untilIn } from "./helper.mjs";

/** The longest of several recordings for one question. */
const LONGEST_SECONDS = 60;
const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
/** So few are no rate: a load that does little but call C has some dozen samples in Erlang code. */
const FEW_SAMPLES = 2;

/**
 * Records, and again for twice as long while the answer is not enough. A target that others keep
 * from the processors uses less of them, and has fewer samples in a second.
 * @template Answer
 * @param {number} pid
 * @param {Parameters<typeof record>[1]} wanted   `seconds` of the first recording
 * @param {string} what   the condition to wait for, for the message
 * @param {(recorded: any) => Answer | Promise<Answer>} answerOf   of what `record` printed; the file is there as well
 * @param {(answer: Answer) => boolean} isEnough
 * @returns {Promise<Answer>}
 */
export async function recordUntil(pid, wanted, what, answerOf, isEnough) {
  for (let { seconds } = wanted; ; seconds = Math.min(2 * seconds, LONGEST_SECONDS)) {
    const answer = await answerOf(await record(pid, { ...wanted, seconds, isReplacing: true }));
    if (isEnough(answer)) return answer;
    // The runner shows the output of a file that it ends.
    process.stderr.write(`${what}: not in ${seconds} s; recording again; ${JSON.stringify(answer)?.slice(0, 500)}\n`);
  }
}

/**
 * One recording that goes on until there is enough of it, however busy the machine is; then Ctrl-C.
 * @param {number} pid
 * @param {{hz?: number, file: string, engine?: "auto" | "bpf" | "readv", more?: (string | number)[], program?: string, wrapper?: string[]}} wanted
 * @param {string} what   the condition to wait for, for the message
 * @param {(profile: import("../pprof-reader.mjs").Profile) => boolean} isEnough   of the samples in the file so far
 * @returns {Promise<any>} the record's JSON
 */
export async function recordEnough(
  pid,
  { hz = 499, file, engine = "auto", more = [], program, wrapper = [] },
  what,
  isEnough,
) {
  const args = ["record", pid, "-d", 0, "-F", hz, "--max-overhead", "off", "-o", file, "--engine", engine, ...more];
  let read = 0;
  // A file is only read again when it has grown.
  const isEnoughNow = () => {
    const { size } = statSync(file);
    if (size === read) return false;
    read = size;
    return isEnough(readUnfinishedProfile(file));
  };
  return helperJson(args, {
    ...(program && { program }),
    wrapper,
    onStart: (child) => void untilIn(child, what, isEnoughNow).then(() => child.kill("SIGINT")),
  });
}

/**
 * As many samples of these kinds as there are so far in a capture.
 * @param {import("../pprof-reader.mjs").Profile} profile
 * @param {(sample: import("../pprof-reader.mjs").ProfileSample) => boolean} [isCounted]
 */
export function samplesIn(profile, isCounted = () => true) {
  if (profile.samples.length === 0) return 0;
  const count = countIndex(profile);
  return profile.samples.filter(isCounted).reduce((sum, { values }) => sum + (values[count] ?? 0), 0);
}

/**
 * The quality of a recording with so many samples of each kind.
 * @param {number} pid
 * @param {Parameters<typeof record>[1]} wanted
 * @param {{erlang?: number, native?: number, all?: number}} least
 * @returns {Promise<any>}
 */
export function qualityOf(pid, wanted, { erlang = 0, native = 0, all = 0 }) {
  return recordUntil(
    pid,
    wanted,
    `${erlang} samples in Erlang code, ${native} in C code of a process, ${all} in all`,
    ({ quality }) => quality,
    (quality) =>
      quality.erlang.samples >= erlang && quality.native_in_process.samples >= native && quality.samples >= all,
  );
}

/**
 * Processor time that a process has used. @param {number} pid
 */
export function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Records until the target has used so much processor time, which has as many samples on a busy machine as on another.
 * @param {number} pid
 * @param {number} seconds   of processor time, from the first sample on
 * @param {(string | number)[]} args   of `record`, `-o FILE` among them
 * @param {string[]} [wrapper]
 */
export async function recordWork(pid, seconds, args, wrapper = []) {
  const file = String(args[args.indexOf("-o") + 1]);
  const run = await runHelper(["record", pid, "-d", 0, "--max-overhead", "off", ...args], {
    wrapper,
    onStart: (child) =>
      void (async () => {
        await untilIn(child, "the first samples", () => existsSync(file) && statSync(file).size > 0);
        const before = processorSeconds(pid);
        await untilIn(child, `${seconds} s of work`, () => processorSeconds(pid) - before >= seconds);
      })().finally(() => child.kill("SIGINT")),
  });
  assert.equal(run.code, 0, run.stderr);
}

/** Nothing is left out: each sample is one of these. @param {any} quality */
export function assertCountsAddUp(quality) {
  const { native_in_process: native, erlang, samples, engine } = quality;
  assert.equal(
    native.complete + native.bracketed + native.unproven,
    native.samples,
    `proven or marked: ${JSON.stringify(native)}`,
  );
  const inProcess = erlang.samples + native.samples;
  const { port_tasks: portTasks, unattributed } = quality.no_process;
  const others = quality.scheduler + portTasks + quality.other + unattributed;
  assert.equal(inProcess + others, samples, `of someone, or named as of no one: ${JSON.stringify(quality)}`);
  assert.ok(erlang.complete <= erlang.samples, JSON.stringify(quality));
  assert.ok(quality.unresolved_frames <= quality.frames, JSON.stringify(quality));
  if (engine.name === "bpf") assert.ok(engine.unmatched <= samples, JSON.stringify(engine));
}

/**
 * What the engine `bpf` must know of the samples whose capture it has. No load moves this: process and stack are copied
 * in the very interrupt that takes the sample, whatever waits for the processor. The only effect of load is to keep the
 * collector away until a ring is full; those samples are counted as lost or as without their capture, and left out
 * here.
 * @param {any} quality
 * @param {{erlang?: number, native?: number}} least   shares, 0..1
 */
export function assertExact(quality, { erlang: leastErlang = 0.995, native: leastNative = 0.98 } = {}) {
  assertCountsAddUp(quality);
  const { erlang, native_in_process: native, engine, lost } = quality;
  assert.equal(engine.name, "bpf");
  const away = engine.unmatched + lost + FEW_SAMPLES;
  assert.ok(
    erlang.complete + away >= leastErlang * erlang.samples,
    `Erlang complete ${erlang.complete}/${erlang.samples}: ${JSON.stringify(quality)}`,
  );
  assert.ok(
    native.complete + away >= leastNative * native.samples,
    `C code complete ${native.complete}/${native.samples}: ${JSON.stringify(quality)}`,
  );
  if (isDeepStrictEqual([engine.unmatched, lost], [0, 0])) assertNamed(quality);
}

/** Names depend on the code and the tables of the VM, on nothing that runs beside it. @param {any} quality */
export function assertNamed({ unresolved_frames: unresolved, frames }) {
  assert.ok(unresolved <= 0.005 * frames + FEW_SAMPLES, `${unresolved} of ${frames} frames without a name`);
}

/**
 * Reports the rates that load moves.
 * @param {import("node:test").TestContext} t
 * @param {any} quality
 * @param {string} where
 */
export function sayRates(t, quality, where) {
  const { erlang, native_in_process: native, engine } = quality;
  const percent = (/** @type {number} */ part, /** @type {number} */ of) => (of === 0 ? NaN : (100 * part) / of);
  const ofEngine = /** @type {"bpf" | "readv"} */ (engine.name);
  if (erlang.samples > 0) measured(t, `${ofEngine}, Erlang complete`, percent(erlang.complete, erlang.samples), where);
  if (native.samples > 0 && ofEngine === "bpf")
    measured(t, "bpf, C code complete", percent(native.complete, native.samples), where);
  if (native.samples > 0 && ofEngine === "readv")
    measured(t, "readv, C code proven", percent(native.with_erlang, native.samples), where);
  if (ofEngine === "bpf")
    measured(t, "samples without their capture", percent(engine.unmatched, quality.samples), where);
  measured(t, "frames without a name", percent(quality.unresolved_frames, quality.frames), where);
  measured(t, "samples lost", quality.lost, where);
  measured(t, "memory of the helper", quality.self_rss_bytes / 2 ** 20, where);
  t.diagnostic(
    `${where}: ${quality.samples} samples, skid ${quality.skid_us.p50}/${quality.skid_us.p99} us, own CPU ${quality.self_cpu_pct} %, unproven ${native.unproven}`,
  );
}
