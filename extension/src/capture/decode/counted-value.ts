import { COUNTED_UNITS, SAMPLES } from "../../../../contract/sample-type-words.js";
import { SAMPLE_TYPES, type SampleType, type SampleTypeId } from "../../../../contract/sample-types.generated.js";
import type { CountedType, CountedValue } from "../tables/capture-description.js";

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

/** All types, in the order in which files have them. */
const ALL_TYPES = Object.entries(SAMPLE_TYPES) as readonly (readonly [SampleTypeId, SampleType])[];

/**
 * The counted quantities: every type of samples of our own captures, and one value of other profiles, which may have the same names but fill
 * more than one type in a row. See `chooseValue`.
 */
export function countedTypes(
  types: readonly ValueType[],
  preferred: string,
  isOwn: boolean,
  period: { readonly type: ValueType; readonly length: number },
  sumOf: (column: number) => number,
): readonly CountedType[] {
  const columnOf = ([name, unit]: readonly [string, string]) =>
    types.findIndex((type) => type.name === name && type.unit === unit);
  const further = ALL_TYPES.flatMap(([id, type]): CountedType[] => {
    const { unit, divisor } = COUNTED_UNITS[id];
    const [samples, column] = [columnOf(type.count), columnOf(type.value)];
    if (!isOwn || divisor === null || samples < 0 || column < 0) return [];
    const periodNs = (NANOSECONDS[type.value[1]] ?? 0) * divisor;
    return [{ id, samples, counted: { column, columns: types.length, divisor, periodNs }, unit }];
  });
  const samples = columnOf(SAMPLE_TYPES.cpu.count);
  const hasCpu = samples >= 0 && columnOf(SAMPLE_TYPES.cpu.value) >= 0;
  if (further.length > 0 && !hasCpu) return further;
  const { unit, ...counted } = chooseValue(types, preferred, isOwn, period, sumOf);
  return [{ id: isOwn ? "cpu" : null, samples: Math.max(samples, 0), counted, unit }, ...further];
}

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
    if (cpu >= 0 && periodNs >= 1) return { column: cpu, columns, divisor: periodNs, periodNs, unit: SAMPLES };
    return { column, columns, divisor: 1, periodNs, unit: SAMPLES };
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
  const isSamples = unit === "count" && name === SAMPLES;
  return {
    column,
    columns,
    divisor,
    periodNs: nanoseconds === undefined ? (isSamples ? periodNs : 0) : nanoseconds * divisor,
    unit: isSamples ? SAMPLES : `${shown} of ${name}`,
  };
}
