// Detached captures from a helper's list: checked, since the helper may run on a host that lies, and as text.
// No vscode in here.

import { decimal, fileSize } from "../../../contract/figures.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import type {
  DetachedCapture,
  DetachedEnd,
  DetachedState,
  HaltedTime,
  StandstillReason,
} from "../../../contract/protocol.generated.js";
import type { HostAddress } from "../remote/host-address.js";
import { haltedText } from "../text/halted-text.js";

/** One row of a view; its commands get it as argument. */
export interface DetachedRow {
  readonly detached: KnownDetached;
  /** Where it is; this machine when absent. */
  readonly host?: HostAddress | undefined;
}

/** The shown facts of one, and those needed to request it. */
export interface KnownDetached {
  readonly name: string;
  readonly state: DetachedState;
  readonly fileBytes: number;
  readonly pid: number | undefined;
  readonly node: string;
  /** By the clock of its host, milliseconds; undefined when it is missing. */
  readonly begunMs: number | undefined;
  readonly end: DetachedEnd | undefined;
  /** The problem, as the helper there words it. */
  readonly problem: string | undefined;
  /** For how long nothing of the VM ran; undefined while it records, and where the VM ran. */
  readonly halted: HaltedTime | undefined;
}

const MOST_ROWS = 200;
const STATES: readonly unknown[] = ["starting", "recording", "ended", "endedUnexpectedly"] satisfies DetachedState[];
const REASONS: readonly unknown[] = ["stopped", "traced", "frozen"] satisfies StandstillReason[];
const LAST_MS = 8.64e15;

/** Whether one in this state grows. */
export function isOngoing(state: unknown): boolean {
  return state === "recording" || state === "starting";
}

/** Whether a detached capture can be called that. */
export function isDetachedName(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z0-9][\w.+@-]{0,63}$/.test(name);
}

/** What of an answer makes sense. */
export function knownDetached(captures: unknown): KnownDetached[] {
  if (!Array.isArray(captures)) return [];
  return captures.slice(0, MOST_ROWS).flatMap((capture: unknown) => knownOne(capture) ?? []);
}

export function knownOne(capture: unknown): KnownDetached | undefined {
  if (typeof capture !== "object" || capture === null) return undefined;
  const { name, state, fileBytes, facts } = capture as Record<keyof DetachedCapture, unknown>;
  if (!isDetachedName(name) || !STATES.includes(state)) return undefined;
  const given = (typeof facts === "object" && facts !== null ? facts : {}) as Record<string, unknown>;
  const problem =
    typeof given["problem"] === "object" && given["problem"] !== null
      ? (given["problem"] as Record<string, unknown>)["what"]
      : undefined;
  return {
    name,
    state: state as DetachedState,
    fileBytes: whole(fileBytes, Number.MAX_SAFE_INTEGER) ?? 0,
    pid: whole(given["targetPid"], 2 ** 22),
    node: typeof given["node"] === "string" ? given["node"] : "",
    begunMs: whole(given["begunUnixMs"], LAST_MS),
    end: typeof given["end"] === "string" ? (given["end"] as DetachedEnd) : undefined,
    problem: typeof problem === "string" ? problem : undefined,
    halted: haltedTime(given["halted"]),
  };
}

function haltedTime(given: unknown): HaltedTime | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { reason, ms } = given as Record<keyof HaltedTime, unknown>;
  const time = whole(ms, LAST_MS);
  return time === undefined || !REASONS.includes(reason) ? undefined : { reason: reason as StandstillReason, ms: time };
}

function whole(value: unknown, most: number): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most ? value : undefined;
}

/** `recording since 14:02 · 1.2 MB · shop@a`. */
export function detachedDescription(detached: KnownDetached, l10n: Words, language?: string): string {
  const { node, pid, fileBytes, halted } = detached;
  const target = plainText(node, 80) || (pid === undefined ? "" : l10n.t("pid {0}", pid));
  const why = halted === undefined ? undefined : haltedText(halted, l10n, language);
  return [stateText(detached, l10n, language), why ?? "", fileSize(fileBytes, language), target]
    .filter((part) => part !== "")
    .join(" · ");
}

function stateText({ state, begunMs, end, problem }: KnownDetached, l10n: Words, language?: string): string {
  switch (state) {
    case "starting":
      return l10n.t("starting");
    case "recording":
      return begunMs === undefined ? l10n.t("recording") : l10n.t("recording since {0}", timeText(begunMs, language));
    case "endedUnexpectedly":
      return l10n.t("ended unexpectedly");
    case "ended":
      return problem === undefined
        ? l10n.t("ended: {0}", endText(end, l10n))
        : l10n.t("ended: {0}", plainText(problem, 200));
  }
}

function endText(end: DetachedEnd | undefined, l10n: Words): string {
  switch (end) {
    case "duration":
      return l10n.t("its time was up");
    case "sizeLimit":
      return l10n.t("as large as it may be");
    case "targetGone":
      return l10n.t("the VM ended");
    case "stopped":
      return l10n.t("stopped");
    default:
      return l10n.t("it failed");
  }
}

/** Day and time, as a row has room for. */
function timeText(ms: number, language?: string): string {
  return new Intl.DateTimeFormat(language, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(ms);
}

/** The suggested name: the node without its host, and the time. */
export function suggestedName(node: string | null | undefined, pid: number, now: Date): string {
  const stem = (node ?? "")
    .split("@")[0]
    ?.replace(/[^A-Za-z0-9_.+-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 30);
  const two = (value: number) => String(value).padStart(2, "0");
  const when = `${two(now.getMonth() + 1)}${two(now.getDate())}-${two(now.getHours())}${two(now.getMinutes())}`;
  return `${stem === undefined || stem === "" ? `beam-${String(pid)}` : stem}-${when}`;
}

/** `24 h`: how long one goes on at most. */
export function hoursText(hours: number, l10n: Words, language?: string): string {
  return l10n.t("{0} h", decimal(hours, language, 1, 0));
}
