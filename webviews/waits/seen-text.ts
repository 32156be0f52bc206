// The result of a watch in a sentence, and the meaning of one in which no process waits for another one.

import { timeOfDay } from "../../contract/figures.js";
import type { WaitsSeen } from "../../contract/messages/waits.js";
import { endedText } from "../words/ended-text.js";
import { LANGUAGE } from "../words/figures.js";
import { STRINGS } from "./strings.js";

export function seenText({
  waiting,
  processes,
  takenUnixMs,
  endedUnixMs,
  seconds,
  looks,
  restless,
  unread,
  full,
}: WaitsSeen): string {
  return [
    STRINGS.seen(waiting, processes, timeOfDay(takenUnixMs, LANGUAGE, "seconds"), seconds, looks),
    ...(restless === null || restless === 0 ? [] : [STRINGS.restless(restless)]),
    ...(unread === null || unread === 0 ? [] : [STRINGS.unread(unread)]),
    ...(full ? [STRINGS.full] : []),
    ...(endedUnixMs === null ? [] : [endedText(endedUnixMs)]),
  ].join(" ");
}

/** Of a graph without edges: only where every process was read, and no call is left that is not understood. */
export function nobodyText({
  graph,
  unread,
  endedUnixMs,
}: Pick<WaitsSeen, "graph" | "unread" | "endedUnixMs">): string {
  const { unproven, moved, in_unknown_calls: unknown, in_maybe_calls: maybe = 0 } = graph;
  // The graph is read at the end.
  if (endedUnixMs !== null) return STRINGS.notRead;
  return unread !== null && unproven + moved + unknown + maybe + unread === 0 ? STRINGS.nobody : STRINGS.nobodyKnown;
}
