// The qualities of several recordings as one.

/** @param {any[]} qualities */
export function summed(qualities) {
  const total = (/** @type {(quality: any) => number} */ of) =>
    qualities.reduce((sum, quality) => sum + of(quality), 0);
  const erlang = {
    samples: total((quality) => quality.erlang.samples),
    complete: total((quality) => quality.erlang.complete),
  };
  const native = {
    samples: total((quality) => quality.native_in_process.samples),
    complete: total((quality) => quality.native_in_process.complete),
    bracketed: total((quality) => quality.native_in_process.bracketed),
    unproven: total((quality) => quality.native_in_process.unproven),
  };
  return {
    erlang,
    native,
    samples: total((quality) => quality.samples),
    inProcess: erlang.samples + native.samples,
    complete: erlang.complete + native.complete,
    unproven: native.unproven,
    lost: total((quality) => quality.lost),
    unmatched: total((quality) => quality.engine.unmatched ?? 0),
    skidMicros: {
      p50: Math.max(...qualities.map((quality) => quality.skid_us.p50)),
      p99: Math.max(...qualities.map((quality) => quality.skid_us.p99)),
    },
  };
}
