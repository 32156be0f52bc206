// The contents of a store, as it lists them. The text is another program's: bounded, and checked in every part.
// No vscode in here.

const MOST_SERIES = 20_000;
const LONGEST_TEXT = 500;
const LABEL_NAME = /^[A-Za-z_][\w.]*$/;
const SERVICE = "service_name";
const PROFILE_TYPE = "__profile_type__";
/** Labels of stores themselves, not of the profiled programs. */
const OF_STORES = /^(__.*|service_name|service\.name|pyroscope_spy)$/;
/** Samples first: with them it is known how far a figure can be trusted. */
const CPU_TYPES = ["process_cpu:samples:count:cpu:nanoseconds", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"];

/** The labels of profiles that belong together. */
export type Series = ReadonlyMap<string, string>;

/** A service and one of its profile types. */
export interface StoredService {
  readonly service: string;
  /** `process_cpu:cpu:nanoseconds:cpu:nanoseconds` */
  readonly profileType: string;
  readonly series: readonly Series[];
}

/** The answer of `querier.v1.QuerierService/Series`. @throws {TypeError} when it is none */
export function seriesOf(answer: unknown): Series[] {
  const { labelsSet = [] } = answer as { labelsSet?: unknown };
  if (!Array.isArray(labelsSet)) throw new TypeError("labelsSet");
  return labelsSet.slice(0, MOST_SERIES).map((set: unknown) => {
    const { labels = [] } = set as { labels?: unknown };
    if (!Array.isArray(labels)) throw new TypeError("labels");
    const pairs = labels.flatMap((pair: unknown): [string, string][] => {
      const { name, value } = pair as { name?: unknown; value?: unknown };
      const isLabel =
        typeof name === "string" &&
        typeof value === "string" &&
        LABEL_NAME.test(name) &&
        name.length <= LONGEST_TEXT &&
        value.length <= LONGEST_TEXT;
      return isLabel ? [[name, value]] : [];
    });
    return new Map(pairs);
  });
}

/** The profiles on offer, by name; of CPU time in several forms the best one. */
export function servicesOf(series: readonly Series[]): StoredService[] {
  const found = new Map<string, Map<string, Series[]>>();
  for (const labels of series) {
    const [service, type] = [labels.get(SERVICE), labels.get(PROFILE_TYPE)];
    if (service === undefined || type === undefined) continue;
    const types = found.get(service) ?? new Map<string, Series[]>();
    found.set(service, types.set(type, [...(types.get(type) ?? []), labels]));
  }
  const services = [...found].flatMap(([service, types]) => {
    const cpu = CPU_TYPES.find((type) => types.has(type));
    const wanted = [...types].filter(([type]) => type === cpu || !CPU_TYPES.includes(type));
    return wanted.map(([profileType, series]) => ({ service, profileType, series }));
  });
  return services.sort(
    (a, b) =>
      a.service.localeCompare(b.service) ||
      Number(isCpu(b)) - Number(isCpu(a)) ||
      a.profileType.localeCompare(b.profileType),
  );
}

export function isCpu({ profileType }: StoredService): boolean {
  return CPU_TYPES.includes(profileType);
}

/** `samples`, `inuse_space`: what a type of profiles counts. */
export function measuredBy(profileType: string): string {
  return profileType.split(":")[1] ?? profileType;
}

/** Labels whose values distinguish profiles of a service, with their values. */
export function labelsThatDiffer(series: readonly Series[]): Map<string, string[]> {
  const values = new Map<string, Set<string>>();
  for (const labels of series) {
    for (const [name, value] of labels) {
      if (!OF_STORES.test(name)) values.set(name, (values.get(name) ?? new Set()).add(value));
    }
  }
  const differing = [...values].filter(([, { size }]) => size > 1);
  return new Map(differing.map(([name, set]) => [name, [...set].sort()]));
}
