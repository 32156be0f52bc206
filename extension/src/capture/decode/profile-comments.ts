// The comments of a profile in which a capture describes itself: the VM, how it was sampled, its quality, commit, build
// and machine, and the user's note.

import type { BuildFacts } from "../../../../contract/editor-module.generated.js";
import type {
  EngineReason,
  KernelTime,
  NoProcessQuality,
  FaultsQuality,
  OffCpuQuality,
  OriginFacts,
  OverheadQuality,
  ProcessTime,
  ProgramsOfPort,
  QualityRecord,
  ReloadedBy,
  SchedulersSeen,
  StandstillReason,
  StaysQuality,
  ThreadsReason,
  TracedFunctions,
  TracedProcesses,
  UnknownFact,
} from "../../../../contract/protocol.generated.js";
import type {
  ClockFacts,
  ImportedProfile,
  RecordedHost,
  RecordedTarget,
  RecordedWork,
  UserFacts,
  WaitFacts,
} from "../questions.js";
import { processorsIn, schedulersIn, toWaits } from "./wait-facts.js";

const TARGET_COMMENT = "extrospect/target ";
const SETTINGS_COMMENT = "extrospect/settings ";
const QUALITY_COMMENT = "extrospect/quality ";
export const ORIGIN_COMMENT = "extrospect/origin ";
const BUILD_COMMENT = "extrospect/build ";
const HOST_COMMENT = "extrospect/host ";
export const USER_COMMENT = "extrospect/user ";
const WORK_COMMENT = "extrospect/work ";
const WAITS_COMMENT = "extrospect/waits ";
export const CLOCK_COMMENT = "extrospect/clock ";
const IMPORT_COMMENT = "extrospect/import ";
export const PLACE_COMMENT = "extrospect/place ";

const KINDS: readonly string[] = [
  TARGET_COMMENT,
  SETTINGS_COMMENT,
  QUALITY_COMMENT,
  ORIGIN_COMMENT,
  BUILD_COMMENT,
  HOST_COMMENT,
  USER_COMMENT,
  WORK_COMMENT,
  WAITS_COMMENT,
  CLOCK_COMMENT,
  IMPORT_COMMENT,
  PLACE_COMMENT,
];

/** Length of the longest prefix that identifies the kind of a comment. */
export const LONGEST_KIND = Math.max(...KINDS.map((kind) => kind.length));

/** The prefix of a comment's kind; undefined for a text that Extrospect did not write. */
export function kindOfComment(start: string): string | undefined {
  return KINDS.find((kind) => start.startsWith(kind));
}

/** Each index once, where it stands last: the last comment of a kind counts, and a file may name one as often as it likes. */
export function lastOfEach(indices: readonly number[]): number[] {
  return [...new Set(indices.toReversed())].reverse();
}

/** Longest text that is kept from a comment; a command line can be long, but not everything is one. */
const MAX_TEXT = 16_384;

/** The codes of a reason; what another version of the helper writes beside them is left out. */
const ENGINE_REASONS: readonly EngineReason[] = ["askedFor", "accepted", "bpfUnusable"];
const THREADS_REASONS: readonly ThreadsReason[] = ["denied", "noSuchEvent", "tooManyFiles"];
const STANDSTILL_REASONS: readonly StandstillReason[] = ["stopped", "traced", "frozen"];
const UNKNOWN_FACTS: readonly UnknownFact[] = [
  "tracing",
  "processTracing",
  "processTime",
  "portPrograms",
  "schedulersOnline",
  "standstill",
];

/** The contents of a profile's comments; missing ones are absent. */
export interface CommentFacts {
  target?: RecordedTarget;
  quality?: QualityRecord;
  origin?: OriginFacts;
  build?: BuildFacts;
  host?: RecordedHost;
  user?: UserFacts;
  work?: RecordedWork;
  clock?: ClockFacts;
  isFromElsewhere?: boolean;
  /** It was made of another tool's profile. */
  imported?: ImportedProfile;
  waits?: WaitFacts;
  settings?: { frequencyHz: number; startedUnixMs: number; includeKernel: boolean };
}

/** Reads the comments this program writes; the last one of a kind that makes sense counts. Others are left alone. */
export function readComments(comments: readonly string[]): CommentFacts {
  const facts: CommentFacts = {};
  for (const comment of comments) {
    if (comment.startsWith(TARGET_COMMENT)) {
      const target = objectIn(comment.slice(TARGET_COMMENT.length));
      if (target) facts.target = toTarget(target);
    } else if (comment.startsWith(SETTINGS_COMMENT)) {
      const settings = objectIn(comment.slice(SETTINGS_COMMENT.length));
      if (settings)
        facts.settings = {
          frequencyHz: count(settings["frequency_hz"]),
          startedUnixMs: Math.floor(count(settings["started_unix_ns"]) / 1e6),
          includeKernel: settings["include_kernel"] === true,
        };
    } else if (comment.startsWith(QUALITY_COMMENT)) {
      const quality = objectIn(comment.slice(QUALITY_COMMENT.length));
      if (quality) facts.quality = toQuality(quality);
    } else if (comment.startsWith(ORIGIN_COMMENT)) {
      const origin = objectIn(comment.slice(ORIGIN_COMMENT.length));
      if (origin) facts.origin = toOrigin(origin);
    } else if (comment.startsWith(BUILD_COMMENT)) {
      const build = objectIn(comment.slice(BUILD_COMMENT.length));
      if (build) facts.build = toBuild(build);
    } else if (comment.startsWith(HOST_COMMENT)) {
      const host = objectIn(comment.slice(HOST_COMMENT.length));
      if (host) facts.host = toHost(host);
    } else if (comment.startsWith(USER_COMMENT)) {
      const user = objectIn(comment.slice(USER_COMMENT.length));
      if (user) facts.user = toUser(user);
    } else if (comment.startsWith(WORK_COMMENT)) {
      const work = objectIn(comment.slice(WORK_COMMENT.length));
      if (work) facts.work = toWork(work);
    } else if (comment.startsWith(WAITS_COMMENT)) {
      const waits = toWaits(objectIn(comment.slice(WAITS_COMMENT.length)));
      if (waits) facts.waits = waits;
    } else if (comment.startsWith(PLACE_COMMENT)) {
      if (objectIn(comment.slice(PLACE_COMMENT.length))?.["elsewhere"] === true) facts.isFromElsewhere = true;
    } else if (comment.startsWith(IMPORT_COMMENT)) {
      facts.imported = toImported(objectIn(comment.slice(IMPORT_COMMENT.length)) ?? {});
    } else if (comment.startsWith(CLOCK_COMMENT)) {
      const clock = objectIn(comment.slice(CLOCK_COMMENT.length));
      if (clock) facts.clock = { aheadMs: counter(clock["ahead_ms"]), aheadAtEndMs: counter(clock["ahead_at_end_ms"]) };
    }
  }
  return facts;
}

type Members = Record<string, unknown>;

function toTarget(members: Members): RecordedTarget {
  return {
    pid: count(members["pid"]),
    otpRelease: text(members["otp_release"]),
    ertsVersion: text(members["erts_version"]),
    flavor: text(members["flavor"]),
    node: text(members["node"]),
    host: text(members["host"]),
    command: text(members["command"]),
    ...(members["other_files"] === true && { hasOtherFiles: true }),
  };
}

/** Bounds on what a file may claim; the helper and the extension write less. */
const MAX_SOURCES = 20_000;
const MAX_BUSY = 8;
const MAX_TAGS = 50;
const MAX_NOTE = 4096;
/** A file leaves out few kinds of data, some of them for each of its threads. */
const MAX_IMPORT_NOTES = 100;
const MAX_NAME = 256;
/** As many as the helper writes: `BuildFacts` of crate `capture`. */
const MAX_MODULES = 4096;
const MAX_LIBRARIES = 256;
const MAX_VERSION = 100;
const MAX_MODULE_NAME = 1020;
const MD5 = /^[0-9a-f]{32}$/;
const COMMIT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function toOrigin(members: Members): OriginFacts {
  const commit = text(members["commit"]);
  const sources = Object.entries(membersOf(members["sources"])).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && COMMIT_NAME.test(entry[1]),
  );
  return {
    repository: text(members["repository"]).slice(0, MAX_NOTE),
    commit: COMMIT_NAME.test(commit) ? commit : "",
    branch: text(members["branch"]).slice(0, MAX_NAME),
    dirty: members["dirty"] === true,
    describe: text(members["describe"]).slice(0, MAX_NAME),
    sources: Object.fromEntries(sources.slice(0, MAX_SOURCES)),
    assigned: members["assigned"] === true,
  };
}

function toBuild(members: Members): BuildFacts {
  const textsOf = (value: unknown, isValid: (name: string, text: string) => boolean, most: number) =>
    Object.fromEntries(
      Object.entries(membersOf(value))
        .filter((entry): entry is [string, string] => typeof entry[1] === "string" && isValid(entry[0], entry[1]))
        .slice(0, most),
    );
  const modules = textsOf(
    members["modules"],
    (name, md5) => name.length <= MAX_MODULE_NAME && MD5.test(md5),
    MAX_MODULES,
  );
  const replaced = Array.isArray(members["replaced"]) ? members["replaced"] : [];
  return {
    release: text(members["release"]).slice(0, MAX_VERSION),
    version: text(members["version"]).slice(0, MAX_VERSION),
    libraries: textsOf(
      members["libraries"],
      (name, version) => name.length <= MAX_VERSION && version.length <= MAX_VERSION,
      MAX_LIBRARIES,
    ),
    modules,
    replaced: replaced
      .filter((name): name is string => typeof name === "string" && Object.hasOwn(modules, name))
      .slice(0, MAX_MODULES),
    cut: members["cut"] === true,
  };
}

function toHost(members: Members): RecordedHost {
  const busy = Array.isArray(members["busy"]) ? members["busy"].slice(0, MAX_BUSY).map(membersOf) : [];
  return {
    cpuModel: text(members["cpu_model"]).slice(0, MAX_NAME),
    governor: text(members["governor"]).slice(0, MAX_NAME),
    cpus: count(members["cpus"]),
    ...frequencyOf(members["mhz"]),
    ...("load" in members && { load: count(members["load"]) }),
    busy: busy.map((process) => ({
      name: text(process["name"]).slice(0, MAX_NAME),
      cpuPercent: count(process["cpu_pct"]),
    })),
  };
}

/** Mean, lowest and highest; none unless all are there and in order. */
function frequencyOf(value: unknown): Pick<RecordedHost, "mhz"> {
  const [mean = 0, low = 0, high = 0] = (Array.isArray(value) ? value : []).map(count);
  return low > 0 && low <= mean && mean <= high ? { mhz: [mean, low, high] } : {};
}

function toUser(members: Members): UserFacts {
  const tags = Array.isArray(members["tags"]) ? members["tags"].filter((tag) => typeof tag === "string") : [];
  return {
    note: text(members["note"]).slice(0, MAX_NOTE),
    tags: tags.slice(0, MAX_TAGS).map((tag) => tag.slice(0, MAX_NAME)),
    pinned: members["pinned"] === true,
  };
}

function toImported(members: Members): ImportedProfile {
  const notes = Array.isArray(members["notes"]) ? members["notes"].filter((note) => typeof note === "string") : [];
  return {
    format: text(members["format"]).slice(0, MAX_NAME),
    notes: notes.slice(0, MAX_IMPORT_NOTES).map((note) => note.slice(0, MAX_NOTE)),
  };
}

function toWork(members: Members): RecordedWork {
  const atEnd = members["at_end"];
  return {
    name: text(members["name"]).slice(0, MAX_NAME),
    atStart: counter(members["at_start"]),
    startUnixMs: count(members["start_unix_ms"]),
    atEnd: typeof atEnd === "number" ? counter(atEnd) : null,
    endUnixMs: count(members["end_unix_ms"]),
    problem: text(members["problem"]).slice(0, MAX_NOTE),
  };
}

/** As many as the helper takes; a capture may claim any number. */
const MAX_CPUS = 8192;

function toQuality(members: Members): QualityRecord {
  const erlang = membersOf(members["erlang"]);
  const native = membersOf(members["native_in_process"]);
  const skid = membersOf(members["skid_us"]);
  const engine = membersOf(members["engine"]);
  const gaps = membersOf(members["gaps"]);
  return {
    samples: count(members["samples"]),
    lost: count(members["lost"]),
    throttled: count(members["throttled"]),
    erlang: { samples: count(erlang["samples"]), complete: count(erlang["complete"]) },
    native_in_process: {
      samples: count(native["samples"]),
      with_erlang: count(native["with_erlang"]),
      complete: count(native["complete"]),
      bracketed: count(native["bracketed"]),
      unproven: count(native["unproven"]),
    },
    scheduler: count(members["scheduler"]),
    other: count(members["other"]),
    unresolved_frames: count(members["unresolved_frames"]),
    frames: count(members["frames"]),
    unnamed_static_frames: count(members["unnamed_static_frames"]),
    truncated: count(members["truncated"]),
    stacks_cut: count(members["stacks_cut"]),
    reloaded: count(members["reloaded"]),
    unwind_failed: count(members["unwind_failed"]),
    // Only where too many deep stacks waited to be written.
    ...(count(members["stacks_shortened"]) > 0 && { stacks_shortened: count(members["stacks_shortened"]) }),
    // Only where a function that ran is not known.
    ...(count(members["unknown_functions"]) > 0 && { unknown_functions: count(members["unknown_functions"]) }),
    // Only where functions of schedulers have no names.
    ...(count(members["scheduler_unnamed"]) > 0 && { scheduler_unnamed: count(members["scheduler_unnamed"]) }),
    // Only where calls were traced.
    ...(count(members["traced"]) > 0 && { traced: count(members["traced"]) }),
    // Only of a command that was started to be captured.
    ...(count(members["before_sampling_ms"]) > 0 && { before_sampling_ms: count(members["before_sampling_ms"]) }),
    skid_us: { p50: count(skid["p50"]), p99: count(skid["p99"]), max: count(skid["max"]) },
    self_cpu_pct: count(members["self_cpu_pct"]),
    self_rss_bytes: count(members["self_rss_bytes"]),
    event: text(members["event"]),
    engine: {
      name: text(engine["name"]),
      reason: text(engine["reason"]),
      ...codeOf("reason_code", engine, ENGINE_REASONS),
      matched: count(engine["matched"]),
      unmatched: count(engine["unmatched"]),
      orphaned: count(engine["orphaned"]),
      dropped: count(engine["dropped"]),
      ...(engine["dropped_at_least"] === true && { dropped_at_least: true }),
      cut: count(engine["cut"]),
      copy_failed: count(engine["copy_failed"]),
    },
    gaps: {
      cpus: Array.isArray(gaps["cpus"]) ? gaps["cpus"].slice(0, MAX_CPUS).map(count) : [],
      cpus_reason: text(gaps["cpus_reason"]),
      threads: count(gaps["threads"]),
      threads_reason: text(gaps["threads_reason"]),
      ...codeOf("threads_reason_code", gaps, THREADS_REASONS),
      reader_failures: count(gaps["reader_failures"]),
      failed_looks: count(gaps["failed_looks"]),
      ...("standstill_ms" in gaps ? { standstill_ms: count(gaps["standstill_ms"]) } : {}),
      ...codeOf("standstill_reason", gaps, STANDSTILL_REASONS),
      ...(gaps["standstill_unknown"] === true && { standstill_unknown: true }),
      ...(count(gaps["unwritten"]) > 0 && { unwritten: count(gaps["unwritten"]) }),
      ...(gaps["ended_early"] === true && { ended_early: true }),
    },
    ...(isObject(members["overhead"]) ? { overhead: toOverhead(members["overhead"]) } : {}),
    ...(isObject(members["reloaded_by"]) ? { reloaded_by: toReloadedBy(members["reloaded_by"]) } : {}),
    ...(isObject(members["no_process"]) ? { no_process: toNoProcess(members["no_process"]) } : {}),
    ...(isObject(members["process_time"]) ? { process_time: toProcessTime(members["process_time"]) } : {}),
    // None is known to be none.
    ...("port_programs_ms" in members && { port_programs_ms: count(members["port_programs_ms"]) }),
    ...("beside_ports_ms" in members && { beside_ports_ms: count(members["beside_ports_ms"]) }),
    ...(Array.isArray(members["port_programs"]) && { port_programs: toProgramsByPort(members["port_programs"]) }),
    ...(isObject(members["kernel"]) ? { kernel: toKernelTime(members["kernel"]) } : {}),
    ...(isObject(members["tracing"]) ? { tracing: toTracedFunctions(members["tracing"]) } : {}),
    ...(isObject(members["traced_processes"]) && { traced_processes: toTracedProcesses(members["traced_processes"]) }),
    ...(isObject(members["off_cpu"]) && { off_cpu: toOffCpu(members["off_cpu"]) }),
    ...(isObject(members["faults"]) && { faults: toFaults(members["faults"]) }),
    ...(isObject(members["stays"]) && { stays: toStays(members["stays"]) }),
    ...(isObject(members["processors"]) && { processors: processorsIn(members["processors"]) }),
    ...(isObject(members["schedulers_online"]) && {
      schedulers_online: toSchedulersSeen(members["schedulers_online"]),
    }),
    ...toUnknownFacts(members["not_known"]),
  };
}

/** Those that are known here; none is absent. */
function toUnknownFacts(value: unknown): Pick<QualityRecord, "not_known"> {
  const facts = Array.isArray(value) ? UNKNOWN_FACTS.filter((fact) => value.includes(fact)) : [];
  return facts.length > 0 ? { not_known: facts } : {};
}

function toOffCpu(members: Members): OffCpuQuality {
  return {
    ...("refused" in members && { refused: text(members["refused"]) }),
    switches: count(members["switches"]),
    switches_per_s: count(members["switches_per_s"]),
    blocks: count(members["blocks"]),
    whole: count(members["whole"]),
    min_block_us: count(members["min_block_us"]),
    short_blocks: count(members["short_blocks"]),
    short_ms: count(members["short_ms"]),
    thinned_ms: count(members["thinned_ms"]),
    left_out: count(members["left_out"]),
    idle_or_left_out_ms: count(members["idle_or_left_out_ms"]),
    blocked_ms: count(members["blocked_ms"]),
    preempted_ms: count(members["preempted_ms"]),
    idle_ms: count(members["idle_ms"]),
    in_progress: count(members["in_progress"]),
    unseen_threads: count(members["unseen_threads"]),
    unmatched: count(members["unmatched"]),
    lost: count(members["lost"]),
    losses: count(members["losses"]),
    unknown_ms: count(members["unknown_ms"]),
    threads: count(members["threads"]),
    threads_reason: text(members["threads_reason"]),
  };
}

function toFaults(members: Members): FaultsQuality {
  return {
    ...("refused" in members && { refused: text(members["refused"]) }),
    faults: count(members["faults"]),
    samples: count(members["samples"]),
    whole: count(members["whole"]),
    thinned_ms: count(members["thinned_ms"]),
    left_out: count(members["left_out"]),
    lost: count(members["lost"]),
    threads: count(members["threads"]),
    threads_reason: text(members["threads_reason"]),
  };
}

function toStays(members: Members): StaysQuality {
  return {
    period_us: count(members["period_us"]),
    collections: count(members["collections"]),
    collections_ms: count(members["collections_ms"]),
    calls: count(members["calls"]),
    calls_ms: count(members["calls_ms"]),
    left_out: count(members["left_out"]),
  };
}

/** More than a helper reports. */
const MAX_PORTS = 100;

function toProgramsByPort(ports: readonly unknown[]): ProgramsOfPort[] {
  const known = (value: unknown) => (typeof value === "string" ? text(value) : null);
  return ports
    .slice(0, MAX_PORTS)
    .filter(isObject)
    .map((members) => ({
      name: known(members["name"]),
      owner: known(members["owner"]),
      cpu_ms: count(members["cpu_ms"]),
      rss_bytes: count(members["rss_bytes"]),
    }));
}

function toTracedFunctions(members: Members): TracedFunctions {
  return {
    looked_at: count(members["looked_at"]),
    traced: count(members["traced"]),
    reported: count(members["reported"]),
    counted: count(members["counted"]),
    timed: count(members["timed"]),
    measured: count(members["measured"]),
  };
}

function toTracedProcesses(members: Members): TracedProcesses {
  return {
    looked_at: count(members["looked_at"]),
    left_out: count(members["left_out"]),
    traced: count(members["traced"]),
    sends: count(members["sends"]),
    receives: count(members["receives"]),
    events: count(members["events"]),
    scheduling: count(members["scheduling"]),
    collections: count(members["collections"]),
  };
}

function toSchedulersSeen(members: Members): SchedulersSeen {
  return { at_start: schedulersIn(members["at_start"]), at_end: schedulersIn(members["at_end"]) };
}

function toReloadedBy(members: Members): ReloadedBy {
  return {
    between_readings: count(members["between_readings"]),
    just_purged: count(members["just_purged"]),
    process_ending: count(members["process_ending"]),
    before_readings: count(members["before_readings"]),
    code_gone: count(members["code_gone"]),
  };
}

function toNoProcess(members: Members): NoProcessQuality {
  return { port_tasks: count(members["port_tasks"]), unattributed: count(members["unattributed"]) };
}

function toProcessTime(members: Members): ProcessTime {
  return { cpu_ns: count(members["cpu_ns"]), missing_ns: count(members["missing_ns"]) };
}

function toKernelTime(members: Members): KernelTime {
  return {
    sampled: members["sampled"] === true,
    cpu_ns: count(members["cpu_ns"]),
    missing_ns: count(members["missing_ns"]),
  };
}

function toOverhead(members: Members): OverheadQuality {
  return {
    max_pct: count(members["max_pct"]),
    own_pct: count(members["own_pct"]),
    target_pct: count(members["target_pct"]),
    asked_hz: count(members["asked_hz"]),
    now_hz: count(members["now_hz"]),
    lowest_hz: count(members["lowest_hz"]),
    changes: count(members["changes"]),
    lowered_s: count(members["lowered_s"]),
    seldom_looks: members["seldom_looks"] === true,
    not_kept: members["not_kept"] === true,
  };
}

function objectIn(json: string): Members | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null; // a comment that only looks like ours
  }
}

/** The member, when it is one of the codes that are known. */
function codeOf<Name extends string, Code extends string>(
  name: Name,
  members: Members,
  codes: readonly Code[],
): Partial<Record<Name, Code>> {
  const code = codes.find((known) => known === members[name]);
  return code === undefined ? {} : ({ [name]: code } as Partial<Record<Name, Code>>);
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

/** Unlike a count it may be below 0. */
function counter(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}
