// The slowdown by pairs of windows: its statistics on simulated machines, and entries of the VM and the kernel.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf, isEnough, microsPerSample, orderOfFour, randomFrom, ratioOf } from "../../bench/pairs.mjs";
import { costsBetween, programRuns } from "../../bench/sample-costs.mjs";
import { entryOf, ratesBetween, refuseHiddenInterrupts } from "../../bench/slowdown.mjs";

/** @param {() => number} random */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Windows of a machine whose speed wanders and steps, and which other programs disturb.
 * @param {() => number} random
 * @param {{noise: number, drift: number, disturbed: number}} machine   deviations of the logarithm, and the share of disturbed windows
 */
function simulated(random, { noise, drift, disturbed }) {
  let speed = 0;
  return (/** @type {number} */ slowdown) => {
    speed = 0.9 * speed + drift * normal(random);
    const lost = random() < disturbed ? 0.3 * random() : 0;
    return slowdown * 1000 * Math.exp(speed + noise * normal(random) - lost);
  };
}

/** @param {number} seed @param {Parameters<typeof simulated>[1]} machine @param {number} slowdown @param {(differences: number[]) => boolean} isDone */
function ratioOn(seed, machine, slowdown, isDone) {
  const random = randomFrom(seed);
  const rateWith = simulated(random, machine);
  /** @type {number[]} */
  const differences = [];
  while (!isDone(differences)) {
    const windows = orderOfFour(random).map((isOn) => ({ isOn, rate: rateWith(isOn ? slowdown : 1) }));
    differences.push(differenceOf(windows));
  }
  return ratioOf(differences);
}

const MACHINES = {
  calm: { noise: 0.004, drift: 0, disturbed: 0 },
  wandering: { noise: 0.006, drift: 0.01, disturbed: 0 },
  disturbed: { noise: 0.008, drift: 0.003, disturbed: 0.05 },
};
const RUNS = 300;

for (const [name, machine] of Object.entries(MACHINES)) {
  test(`a ${name} machine: no bias, and the interval holds the truth in about 95 of 100 benches`, () => {
    for (const truth of [1, 0.97]) {
      const all = Array.from({ length: RUNS }, (_, seed) =>
        ratioOn(seed, machine, truth, ({ length }) => length === 40),
      );
      const bias = all.reduce((sum, { ratio }) => sum + ratio - truth, 0) / RUNS;
      const width = all.reduce((sum, { halfWidth }) => sum + halfWidth, 0) / RUNS;
      assert.ok(Math.abs(bias) < (3 * width) / 2 / Math.sqrt(RUNS), `${truth}: bias ${bias} at ± ${width}`);
      const covered = all.filter(({ ratio, halfWidth }) => Math.abs(ratio - truth) <= halfWidth).length / RUNS;
      assert.ok(covered > 0.915 && covered < 0.985, `${truth}: ${covered}`);
    }
  });
}

test("to stop when the interval is narrow enough costs it little of its probability", () => {
  const machine = { noise: 0.011, drift: 0, disturbed: 0 };
  const all = Array.from({ length: RUNS }, (_, seed) =>
    ratioOn(seed, machine, 0.97, (differences) => isEnough(differences, 200)),
  );
  const covered = all.filter(({ ratio, halfWidth }) => Math.abs(ratio - 0.97) <= halfWidth).length / RUNS;
  assert.ok(covered > 0.9 && covered < 0.985, `${covered}`);
  assert.ok(all.every(({ halfWidth, count }) => halfWidth <= 0.003 || count === 200));
  assert.ok(all.some(({ count }) => count > 40) && all.some(({ count }) => count < 200));
});

test("a limit of pairs ends it with the interval as it is", () => {
  const machine = { noise: 0.1, drift: 0, disturbed: 0 };
  const { halfWidth, count } = ratioOn(1, machine, 0.97, (differences) => isEnough(differences, 60));
  assert.equal(count, 60);
  assert.ok(halfWidth > 0.003);
  assert.equal(isEnough([], 0), true, "none wanted");
  assert.deepEqual(ratioOf([0.1]), { ratio: NaN, halfWidth: NaN, count: 1 }, "one difference has no interval");
});

test("a steady drift is in no difference, whichever order was drawn", () => {
  for (const order of [orderOfFour(() => 0.2), orderOfFour(() => 0.8)]) {
    const windows = order.map((isOn, at) => ({ isOn, rate: Math.exp(0.05 * at) * (isOn ? 0.97 : 1) }));
    assert.ok(Math.abs(differenceOf(windows) - Math.log(0.97)) < 1e-12);
  }
});

test("the time of a sample is the slowdown by the samples", () => {
  const perCpuSecond = { ratio: 0.97, halfWidth: 0.003, count: 40 };
  const { us, halfWidth } = microsPerSample({ hz: 1000, perCpuSecond, perSecond: perCpuSecond }) ?? {};
  assert.deepEqual([us?.toFixed(6), halfWidth?.toFixed(6)], ["30.000000", "3.000000"]);
  assert.equal(
    microsPerSample({ hz: 0, perCpuSecond, perSecond: perCpuSecond }),
    undefined,
    "nothing takes no samples",
  );
});

test("an entry of the VM counts when it is whole", () => {
  const words = (/** @type {number[]} */ ...values) => {
    const bytes = Buffer.alloc(32);
    for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index);
    return bytes;
  };
  assert.deepEqual(entryOf(words(7, 1000, 2000, 7)), { units: 7, cpuNs: 1000, wallNs: 2000 });
  assert.equal(entryOf(words(7, 1000, 2000, 8)), undefined, "the next one is being written");
  assert.equal(entryOf(words(0, 0, 0, 0)), undefined, "none yet");
});

test("rates are those of whole units, and too few of them are no rate", () => {
  const begun = { units: 1000, cpuNs: 5e9, wallNs: 10e9 };
  assert.deepEqual(ratesBetween(begun, { units: 3000, cpuNs: 5.5e9, wallNs: 11e9 }), {
    perCpuSecond: 4000,
    perSecond: 2000,
  });
  assert.throws(() => ratesBetween(begun, { units: 1050, cpuNs: 5.5e9, wallNs: 11e9 }), /too few/);
});

test("a kernel that hides interrupts from the processor time of threads is refused", () => {
  refuseHiddenInterrupts("cpu  31496 11780 12957 22145 594 0 409 1403 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n");
  assert.throws(() => refuseHiddenInterrupts("cpu  31496 11780 12957 22145 594 17 409 1403 0 0\n"), /IRQ_TIME/);
});

test("parts of a sample: the kernel's own count, and the helper's threads", () => {
  const fdinfo = "pos:\t0\nflags:\t02000002\nprog_type:\t7\nprog_jited:\t1\nrun_time_ns:\t5000000\nrun_cnt:\t1000\n";
  assert.deepEqual(programRuns(fdinfo), { runs: 1000, ns: 5_000_000 });
  assert.equal(programRuns("pos:\t0\nmap_type:\t27\n"), undefined, "a map");

  const begun = { vmNs: 0, serveNs: 0, threadsNs: { collector: 100 }, program: { runs: 0, ns: 0 } };
  const ended = {
    vmNs: 2e9,
    serveNs: 1_000_000,
    threadsNs: { collector: 4_000_100, extrospect: 20_000_000, "code-watch": 2_000_000, answers: 6_000_000 },
    program: { runs: 2000, ns: 10_000_000 },
  };
  const costs = { reading: 2, resolving: 10, watching: 1, other: 3, serving: 0.5 };
  assert.deepEqual(costsBetween(begun, ended, 1000), { program: 5, ...costs });
  const uncounted = { ...ended, program: undefined };
  assert.deepEqual(costsBetween(begun, uncounted, 1000), { program: null, ...costs }, "unknown, and not 0");
});
