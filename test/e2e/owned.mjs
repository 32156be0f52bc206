// Whose work the samples of a real program are. For night files: how much a program schedules depends on its load.
import assert from "node:assert/strict";
import { readProfile } from "../pprof-reader.mjs";
import { samplesIn } from "./enough.mjs";

/** @typedef {import("../pprof-reader.mjs").ProfileSample} Sample */

/** Of 100 busy samples. */
const LEAST_OWNED = 95;
/** The outermost frame of the task of a port whose owner is known. */
const OWNED_PORT = /^\[port .+ of .+\]$/;
/** The outermost frame of a destructor whose type is known, and of work whose cause is. */
const OWNED_WORK = /^\[(?:destructor of .+|persistent_term or purged code)\]$/;

/** @param {Sample} sample */
const isWaiting = ({ labels }) => labels.class === "busy_wait" || labels.class === "idle";
/** @param {Sample} sample */
const isUnownedPort = ({ frames, labels }) =>
  labels.pid === undefined && labels.class === "port" && !OWNED_PORT.test(frames.at(-1)?.name ?? "");

/** The work that a scheduler does for itself; any other kind without a process, a collection say, is another's. */
const OWN_WORK = ["scheduler", "kernel", "lock"];
const NOT_OF_SCHEDULERS = ["busy_wait", "idle", "port", "other_thread"];
/** @param {Sample} sample */
const isForOthers = ({ frames, labels }) =>
  labels.pid === undefined &&
  ![...OWN_WORK, ...NOT_OF_SCHEDULERS].includes(String(labels.class)) &&
  !OWNED_WORK.test(frames.at(-1)?.name ?? "");
/** Of a process that is not known: it had ended and was freed, or nothing proves which it was. @param {Sample} sample */
const isOfUnknownProcess = (sample) => isForOthers(sample) && sample.labels.trust !== "no_process";

/**
 * Busy samples by their owners. The quality line counts each sample once: in a process, as a scheduler's own, as a task of
 * a port, of another thread, or as not attributed. Of the scheduler's own, those that wait are not busy, and those in
 * which it works for others have no owner, unless that is the type of a destructor or the cause of the work.
 * @param {import("../pprof-reader.mjs").Profile} profile
 * @param {any} quality
 */
export function ownersOf(profile, quality) {
  const { erlang, native_in_process: native, scheduler, other, no_process: rest, samples } = quality;
  const waiting = samplesIn(profile, isWaiting);
  const forOthers = samplesIn(profile, isForOthers);
  const ofUnknown = samplesIn(profile, isOfUnknownProcess);
  const ports = rest.port_tasks - samplesIn(profile, isUnownedPort);
  return {
    samples,
    busy: samples - waiting,
    processes: erlang.samples + native.samples - ofUnknown,
    ports,
    threads: other,
    schedulers: scheduler - waiting - (forOthers - ofUnknown),
    unowned: rest.unattributed + rest.port_tasks - ports + forOthers,
  };
}

/**
 * Of 100 busy samples 95 end at a process, or at an owner with a name: a port with its owner, a thread, a scheduler that
 * schedules.
 * @param {import("node:test").TestContext} t @param {string} file @param {any} quality @param {string} where
 */
export function assertOwned(t, file, quality, where) {
  const profile = readProfile(file);
  assert.equal(samplesIn(profile), quality.samples, "the file has the samples of the quality line");
  const owners = ownersOf(profile, quality);
  const { busy, unowned } = owners;
  t.diagnostic(`${where}: ${JSON.stringify(owners)}`);
  const owned = (100 * (busy - unowned)) / busy;
  assert.ok(owned >= LEAST_OWNED, `${owned.toFixed(1)} % of the busy samples have an owner: ${JSON.stringify(owners)}`);
}
