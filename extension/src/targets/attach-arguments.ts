// The arguments of `extrospect.attach`, checked. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { MAX_FREQUENCY_HZ, type EngineChoice } from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";
import { addressOf, type HostAddress } from "../remote/host-address.js";
import { ENGINES, isEngine, isFrequency, isNotNegative, isRecordedTypes, RECORDED_TYPES } from "../setting-values.js";

/** Arguments of `extrospect.attach`. The settings supply absent ones; for an absent `pid` the user is prompted. */
export interface AttachArguments {
  /** Process id of the VM. */
  readonly pid?: number;
  /** The host where it runs; a text is one for ssh. This machine when absent. */
  readonly host?: HostAddress;
  /** How long, in seconds; 0: until stopped. */
  readonly durationSeconds?: number;
  /** Samples per second and thread, 1 to 10000. */
  readonly frequencyHz?: number;
  /** Whether to show what the kernel does for the VM. */
  readonly kernelFrames?: boolean;
  /** How the Erlang stack under C code is obtained. */
  readonly engine?: EngineChoice;
  /** The types of samples to record. */
  readonly types?: readonly SampleTypeId[];
  /** Whether the caller shows the capture in a view of its own, so that no other view opens. */
  readonly isShownByCaller?: boolean;
}

const HIGHEST_PID = 2 ** 22;

/**
 * The known members of an argument; others are ignored, so that rows of views can be passed too.
 * @throws {RangeError} naming the member that makes no sense
 */
export function attachArguments(given: unknown, l10n: Words): AttachArguments {
  if (typeof given !== "object" || given === null) return {};
  const {
    pid,
    host: givenHost,
    durationSeconds,
    frequencyHz,
    kernelFrames,
    engine,
    types,
    isShownByCaller,
  } = given as Record<keyof AttachArguments, unknown>;
  const wrong = (name: string, needed: string) =>
    new RangeError(l10n.t("extrospect.attach: {0} must be {1}", name, needed));
  if (pid !== undefined && !isPid(pid)) throw wrong("pid", l10n.t("a process id"));
  const host = givenHost === undefined ? undefined : addressOf(givenHost);
  if (givenHost !== undefined && host === undefined)
    throw wrong("host", l10n.t("a host as ssh accepts it, or a command with its values"));
  if (durationSeconds !== undefined && !isNotNegative(durationSeconds))
    throw wrong("durationSeconds", l10n.t("a number of seconds, or 0"));
  if (frequencyHz !== undefined && !isFrequency(frequencyHz))
    throw wrong("frequencyHz", l10n.t("a whole number from 1 to {0}", MAX_FREQUENCY_HZ));
  if (kernelFrames !== undefined && typeof kernelFrames !== "boolean")
    throw wrong("kernelFrames", l10n.t("true or false"));
  if (engine !== undefined && !isEngine(engine)) throw wrong("engine", ENGINES.join(" / "));
  if (types !== undefined && !isRecordedTypes(types))
    throw wrong("types", l10n.t("a list of {0}", RECORDED_TYPES.join(" / ")));
  if (isShownByCaller !== undefined && typeof isShownByCaller !== "boolean")
    throw wrong("isShownByCaller", l10n.t("true or false"));
  return {
    ...(pid === undefined ? {} : { pid }),
    ...(host === undefined ? {} : { host }),
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
    ...(frequencyHz === undefined ? {} : { frequencyHz }),
    ...(kernelFrames === undefined ? {} : { kernelFrames }),
    ...(engine === undefined ? {} : { engine }),
    ...(types === undefined ? {} : { types }),
    ...(isShownByCaller === undefined ? {} : { isShownByCaller }),
  };
}

/** A process id as typed by a person; undefined when it is none. */
export function pidFromText(text: string): number | undefined {
  const pid = /^\s*\d{1,7}\s*$/.test(text) ? Number(text) : undefined;
  return isPid(pid) ? pid : undefined;
}

/** The `pid` among the arguments of a command, such as a row of the view; undefined when none is there. */
export function pidOf(given: unknown): number | undefined {
  const pid = typeof given === "object" && given !== null && "pid" in given ? given.pid : undefined;
  return isPid(pid) ? pid : undefined;
}

/** The `host` among the arguments of a command; undefined for this machine. */
export function hostOf(given: unknown): HostAddress | undefined {
  return typeof given === "object" && given !== null && "host" in given ? addressOf(given.host) : undefined;
}

export function isPid(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= HIGHEST_PID;
}
