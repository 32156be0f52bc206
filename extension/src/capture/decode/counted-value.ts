import { SAMPLE_TYPES } from "../../../../contract/sample-types.generated.js";
import type { CountedValue } from "../tables/capture-description.js";

/** What a profile measures: name and unit, as `cpu` in `nanoseconds`. */
export interface ValueType {
  readonly name: string;
  readonly unit: string;
}

/** Sums of counts must fit 32 bits, with room for more to come. */
const MAX_SUM = 2 ** 31;
const [CPU_NAME, CPU_UNIT] = SAMPLE_TYPES.cpu.value;
const NANOSECONDS: Record<string, number> = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };
/** Larger units by smaller ones. */
const LARGER: Record<string, readonly [string, number]> = {
  nanoseconds: ["microseconds", 1000],
  microseconds: ["milliseconds", 1000],
  milliseconds: ["seconds", 1000],
  bytes: ["kibibytes", 1024],
  kibibytes: ["mebibytes", 1024],
  mebibytes: ["gibibytes", 1024],
};

/**
 * Chooses the value to count. In our own captures it is samples, or the processor time that each stands for in samples. In other profiles it is their default value, which is the last one unless they name another;
 * `sumOf` adds up a column, to find the unit in which 32 bits hold it.
 */
export function chooseValue(
  types: readonly ValueType[],
  preferred: string,
  isOwn: boolean,
  period: { readonly type: ValueType; readonly length: number },
  sumOf: (column: number) => number,
): CountedValue & { readonly unit: string } {
  let column = isOwn ? types.findIndex(({ unit }) => unit === "count") : -1;
  if (column < 0 && preferred !== "") column = types.findIndex(({ name }) => name === preferred);
  if (column < 0) column = types.length - 1;
  const { name, unit } = types[column] as ValueType;
  const columns = types.length;
  const periodNs = period.length * (NANOSECONDS[period.type.unit] ?? 0);
  if (isOwn) {
    // The rate may have been lowered during the capture: a sample then counts for as many as at the requested rate.
    // Otherwise both columns agree.
    const cpu = types.findIndex((type) => type.name === CPU_NAME && type.unit === CPU_UNIT);
    if (cpu >= 0 && periodNs >= 1) return { column: cpu, columns, divisor: periodNs, periodNs, unit: "samples" };
    return { column, columns, divisor: 1, periodNs, unit: "samples" };
  }
  let divisor = 1;
  let shown = unit;
  for (let rest = sumOf(column); rest > MAX_SUM;) {
    const [larger, factor] = LARGER[shown] ?? [`1000 ${shown}`, 1000];
    shown = larger;
    divisor *= factor;
    rest /= factor;
  }
  const nanoseconds = NANOSECONDS[unit];
  const isSamples = unit === "count" && name === "samples";
  return {
    column,
    columns,
    divisor,
    periodNs: nanoseconds === undefined ? (isSamples ? periodNs : 0) : nanoseconds * divisor,
    unit: isSamples ? "samples" : `${shown} of ${name}`,
  };
}
