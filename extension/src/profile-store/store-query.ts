// The query to a store. No vscode in here.

import { PbfWriter } from "pbf";

const MINUTE_MS = 60_000;
const UNITS = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: 24 * 60 * MINUTE_MS } as const;
const LONGEST_MS = 31 * UNITS.d;

/** A part of time, milliseconds since 1970. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** Wanted values of labels, by name; several values of one label mean any of them. */
export type LabelChoice = ReadonlyMap<string, readonly string[]>;

/** `15m`, `6h`, `2d` until now, or `2026-11-22 14:00 to 2026-11-22 15:30`, in local time unless a zone is given. */
export function timeRange(text: string, nowMs: number): TimeRange | undefined {
  const typed = text.trim();
  const [, amount, unit] = /^(\d{1,5})\s*([mhd])$/i.exec(typed) ?? [];
  if (amount !== undefined && unit !== undefined)
    return bounded(nowMs - Number(amount) * UNITS[unit.toLowerCase() as keyof typeof UNITS], nowMs);
  const [, from, until] = /^(\S+(?: \S+)?)\s+(?:to|until|bis|-|–)\s+(\S+(?: \S+)?)$/.exec(typed) ?? [];
  if (from === undefined || until === undefined) return undefined;
  return bounded(Date.parse(from.replace(" ", "T")), Date.parse(until.replace(" ", "T")));
}

function bounded(startMs: number, endMs: number): TimeRange | undefined {
  const length = endMs - startMs;
  return length > 0 && length <= LONGEST_MS ? { startMs, endMs } : undefined;
}

/** `{service_name="shop",node=~"a|b"}` */
export function labelSelector(choice: LabelChoice): string {
  const quoted = (text: string) => JSON.stringify(text);
  const matchers = [...choice].flatMap(([name, values]) => {
    const [first] = values;
    if (first === undefined) return [];
    return [values.length === 1 ? `${name}=${quoted(first)}` : `${name}=~${quoted(values.map(escaped).join("|"))}`];
  });
  return `{${matchers.join(",")}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}

/** Pyroscope's `querier.v1.SelectMergeProfileRequest`: all profiles of a time as one, in pprof. */
export function mergeRequest(profileType: string, selector: string, { startMs, endMs }: TimeRange): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeStringField(1, profileType);
  pbf.writeStringField(2, selector);
  pbf.writeVarintField(3, Math.floor(startMs));
  pbf.writeVarintField(4, Math.ceil(endMs));
  return pbf.finish();
}
