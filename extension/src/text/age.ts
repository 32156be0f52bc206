// How long ago something was, as people say it.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `5 min. ago`, `3 days ago`; `now` within the first minute, and for what seems to be still to come. */
export function ageText(ageMs: number, language: string | undefined): string {
  if (ageMs < MINUTE_MS) return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(0, "second");
  const ago = new Intl.RelativeTimeFormat(language, { style: "short" });
  if (ageMs < HOUR_MS) return ago.format(-Math.floor(ageMs / MINUTE_MS), "minute");
  if (ageMs < DAY_MS) return ago.format(-Math.floor(ageMs / HOUR_MS), "hour");
  return ago.format(-Math.floor(ageMs / DAY_MS), "day");
}
