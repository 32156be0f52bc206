// The moment of an event, as short as possible.

import { dateAndTime, timeOfDay } from "../../../contract/figures.js";

/** `14:03`, with the date when it is not today: `21 Nov 2026, 14:03`. */
export function momentText(unixMs: number, nowUnixMs: number, language: string | undefined): string {
  const isToday = new Date(unixMs).toDateString() === new Date(nowUnixMs).toDateString();
  return isToday ? timeOfDay(unixMs, language) : dateAndTime(unixMs, language);
}
