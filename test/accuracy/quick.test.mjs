// The part of the accuracy suite that runs with every `npm test`: each workload, briefly.
// `npm run accuracy` runs all of it, longer, and writes docs/accuracy.md.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { OTP_RELEASES } from "../vms/otp.mjs";
import { ENGINES } from "./engines.mjs";
import { measure } from "./measure.mjs";
import { describe, faultsOf } from "./verdict.mjs";
import { EXACT, LADDER, recursion, SPLITS, TAIL } from "./workloads.mjs";

const HZ = 997;
const folder = mkdtempSync(join(tmpdir(), "extrospect-accuracy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @type {[workload: import("./workloads.mjs").Workload, seconds: number][]} */
const WORKLOADS = [
  ...SPLITS.map((split) => /** @type {[typeof split, number]} */ ([split, 4])),
  [LADDER, 2.6], // for each factor
  [EXACT, 6],
  [TAIL, 2],
  [recursion(10_000), 2],
];

for (const release of OTP_RELEASES) {
  for (const engine of ENGINES) {
    for (const [workload, seconds] of WORKLOADS) {
      test(`OTP ${release}, ${engine}: ${workload.title}`, async (t) => {
        // A machine that has other work spreads the batches; more of them then tell as much.
        const seen = await measure(workload, { release, engine, hz: HZ, seconds, recordings: 1, more: 2, enough: 2.5, folder });
        for (const line of describe(workload, engine, seen)) t.diagnostic(line);
        assert.deepEqual(faultsOf(workload, engine, seen), []);
      });
    }
  }
}
