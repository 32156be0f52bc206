// Generated from native-helper/crates/captures/capture/src/sample_types.rs. Do not edit. To write it again, in native-helper/:
// cargo run -p capture --example generate-sample-types > ../contract/sample-types.generated.ts

export type SampleTypeId = "cpu" | "off-cpu" | "alloc" | "faults";

/** A quantity that samples count. */
export interface SampleType {
  readonly label: string;
  /** The column with the number of samples: name and unit. */
  readonly count: readonly [string, string];
  /** The column with the quantity that they stand for: name and unit. */
  readonly value: readonly [string, string];
  /** The quantity that figures add up. */
  readonly figures: "count" | "value";
  /** Values of different stacks may be added. */
  readonly addsUp: boolean;
  /** Some samples are no work, by their class. */
  readonly hasIdle: boolean;
  /** How far a figure can be trusted: as far as the number of its samples permits, or fully. */
  readonly evidence: "samples" | "exact";
}

/** All types, in the order in which files have them. */
export const SAMPLE_TYPES: Readonly<Record<SampleTypeId, SampleType>> = {
  "cpu": {
    label: "CPU time",
    count: ["samples", "count"],
    value: ["cpu", "nanoseconds"],
    figures: "count",
    addsUp: true,
    hasIdle: true,
    evidence: "samples",
  },
  "off-cpu": {
    label: "blocked time",
    count: ["off_cpu_blocks", "count"],
    value: ["off_cpu", "nanoseconds"],
    figures: "value",
    addsUp: true,
    hasIdle: true,
    evidence: "exact",
  },
  "alloc": {
    label: "allocated bytes",
    count: ["alloc_samples", "count"],
    value: ["alloc_space", "bytes"],
    figures: "value",
    addsUp: true,
    hasIdle: false,
    evidence: "samples",
  },
  "faults": {
    label: "page faults",
    count: ["fault_samples", "count"],
    value: ["faults", "count"],
    figures: "value",
    addsUp: true,
    hasIdle: true,
    evidence: "exact",
  },
};
