// The line of facts above the list: the number of processes, the missing ones, the time and the pace of snapshots.

import { timeOfDay } from "../../contract/figures.js";
import type { ProcessList } from "../../contract/messages/processes.js";
import { LANGUAGE } from "../words/figures.js";
import { STRINGS } from "./strings.js";

/** The pause after a look that costs next to nothing. */
const USUAL_PAUSE_MS = 1000;

/** Processes of which it is not known whether they are alarming. */
export function unreadProcesses({
  leftOut,
  rejected,
  mayAlarm = 0,
}: Pick<ProcessList, "leftOut" | "rejected" | "mayAlarm">): number {
  return leftOut + rejected.torn + mayAlarm;
}

export function listFacts(
  { processes, matching, withoutValue = 0, alarming, leftOut, rejected, look, lookedUnixMs }: ProcessList,
  going: "looking" | "paused" | "ended",
): string {
  return [
    STRINGS.processes(processes, matching),
    ...(alarming === 0 ? [] : [STRINGS.alarming(alarming)]),
    ...(withoutValue === 0 ? [] : [STRINGS.withoutValue(withoutValue)]),
    ...(leftOut === 0 ? [] : [STRINGS.leftOut(leftOut)]),
    ...(rejected.freed === 0 ? [] : [STRINGS.ended(rejected.freed)]),
    ...(rejected.torn === 0 ? [] : [STRINGS.torn(rejected.torn)]),
    STRINGS.looked(timeOfDay(lookedUnixMs, LANGUAGE, "seconds"), look.tookMs),
    ...(going === "ended"
      ? []
      : [going === "paused" ? STRINGS.paused : STRINGS.every(look.nextMs <= USUAL_PAUSE_MS ? 1 : look.nextMs / 1000)]),
  ].join(" · ");
}
