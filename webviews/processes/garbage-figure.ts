// The share of garbage in heaps, as a figure: of a group by those that were read.

import { timeOfDay } from "../../contract/figures.js";
import type { GroupHeaps } from "../../contract/messages/processes.js";
import { LANGUAGE, percent } from "../words/figures.js";
import { STRINGS } from "./strings.js";

/** The garbage in heaps that were looked at, or why it is not known. */
export interface GarbageFigure {
  readonly text: string;
  readonly title: string;
}

/** An estimate has a `~`; without a heap that was read, nothing is known. */
export function garbageOfGroup(
  { processes, of, usedWords, liveWords, liveWordsAtLeast }: GroupHeaps,
  takenUnixMs: number,
): GarbageFigure {
  if (processes === 0 || usedWords === 0) return { text: "?", title: STRINGS.groupUnread };
  const share = percent(1 - liveWords / usedWords, 1, "whole");
  const title = STRINGS.groupGarbage(processes, of, timeOfDay(takenUnixMs, LANGUAGE, "seconds"));
  return {
    text: processes < of ? `~${share}` : share,
    title: liveWordsAtLeast ? `${title}. ${STRINGS.groupAtLeast}` : title,
  };
}
