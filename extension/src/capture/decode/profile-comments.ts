// The comments of a profile in which a capture describes itself: the VM, how it was sampled, and how good it is.

import type { EngineReason, QualityRecord, ThreadsReason } from "../../../../contract/protocol.generated.js";
import type { RecordedTarget } from "../questions.js";

const TARGET_COMMENT = "extrospect/target ";
const SETTINGS_COMMENT = "extrospect/settings ";
const QUALITY_COMMENT = "extrospect/quality ";

/** Longest text that is kept from a comment; a command line can be long, but not everything is one. */
const MAX_TEXT = 16_384;

/** The codes of a reason; what another version of the helper writes beside them is left out. */
const ENGINE_REASONS: readonly EngineReason[] = ["askedFor", "accepted", "bpfUnusable"];
const THREADS_REASONS: readonly ThreadsReason[] = ["denied", "noSuchEvent", "tooManyFiles"];

/** What the comments of a profile hold; what they lack is absent. */
export interface CommentFacts {
  target?: RecordedTarget;
  quality?: QualityRecord;
  settings?: { frequencyHz: number; startedUnixMs: number };
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
      if (settings) facts.settings = { frequencyHz: count(settings["frequency_hz"]), startedUnixMs: Math.floor(count(settings["started_unix_ns"]) / 1e6) };
    } else if (comment.startsWith(QUALITY_COMMENT)) {
      const quality = objectIn(comment.slice(QUALITY_COMMENT.length));
      if (quality) facts.quality = toQuality(quality);
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
    reloaded: count(members["reloaded"]),
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
      cut: count(engine["cut"]),
    },
    gaps: {
      cpus: Array.isArray(gaps["cpus"]) ? gaps["cpus"].slice(0, MAX_CPUS).map(count) : [],
      cpus_reason: text(gaps["cpus_reason"]),
      threads: count(gaps["threads"]),
      threads_reason: text(gaps["threads_reason"]),
      ...codeOf("threads_reason_code", gaps, THREADS_REASONS),
      reader_failures: count(gaps["reader_failures"]),
      failed_looks: count(gaps["failed_looks"]),
    },
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
function codeOf<Name extends string, Code extends string>(name: Name, members: Members, codes: readonly Code[]): Partial<Record<Name, Code>> {
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

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}
