// The part of the accuracy suite that runs with every `npm test`: the conditions for any machine, of each workload,
// briefly. `npm run accuracy` runs all of it, longer, judges shares and rates, which other work on the machine moves,
// and writes docs/accuracy.md.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { andNightly, isNightly } from "../nightly.mjs";
import { enginesHere } from "./engines.mjs";
import { measure } from "./measure.mjs";
import { describe, LEAST_CHECKED, ratesMissed, untruthsOf } from "./verdict.mjs";
import { EXACT, EXACT_FRAME_POINTERS, LADDER, recursion, SPLITS, TAIL } from "./workloads.mjs";

const HZ = 997;
const folder = mkdtempSync(join(tmpdir(), "extrospect-accuracy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const WORKLOADS = [...SPLITS, LADDER, EXACT, EXACT_FRAME_POINTERS, TAIL, recursion(10_000)];
/** Seconds of a recording where the usual ones are too many or too few. @type {Record<string, number>} */
const SECONDS = { ladder: 2.2, exact: 4, "exact-fp": 4, tail: 2, "depth-10000": 2 };
const USUAL_SECONDS = 3.5;
/** By day they are shorter: as many as it takes are checked, at night more. */
const SHARE_BY_DAY = 0.5;
const MOST_RECORDINGS = 60;

/**
 * The cases that depend most on release and engine; `npm run accuracy` runs all. Where bpf cannot be used, the same is
 * required of readv.
 * `nightly`: the cases that another release or engine has shown already.
 * @type {{release: import("../vms/otp.mjs").OtpRelease, engine: import("./workloads.mjs").Engine, names: string[], nightly?: string[]}[]}
 */
const RUNS = [
  { release: "23", engine: "bpf", names: ["exact", "nif"] },
  { release: "23", engine: "readv", names: [], nightly: ["exact"] },
  { release: "25", engine: "bpf", names: ["erlang", "depth-10000"], nightly: ["bif", "exact"] },
  { release: "25", engine: "readv", names: ["ladder"], nightly: ["exact"] },
  { release: "27", engine: "readv", names: ["dirty-nif", "exact"], nightly: ["bif"] },
  {
    release: "27",
    engine: "bpf",
    names: ["exact-fp"],
    nightly: ["exact", "ports", "tracing", "exits", "short-threads"],
  },
  { release: "29", engine: "bpf", names: ["bif", "brief", "exact"], nightly: ["exact-fp", "exits"] },
];

const engines = await enginesHere();
for (const { release, engine: wanted, names, nightly } of RUNS) {
  const engine = engines.includes(wanted) ? wanted : "readv";
  for (const workload of WORKLOADS.filter(({ name }) => andNightly(names, nightly).includes(name))) {
    test(`OTP ${release}, ${engine}: ${workload.title}`, async (t) => {
      const seconds = (isNightly ? 1 : SHARE_BY_DAY) * (SECONDS[workload.name] ?? USUAL_SECONDS);
      // A machine that leaves the VM little time brings fewer samples a second.
      const leastChecked = Math.ceil(LEAST_CHECKED / (workload.ladder?.length ?? 1));
      const seen = await measure(workload, {
        release,
        engine,
        hz: HZ,
        seconds,
        recordings: 1,
        more: MOST_RECORDINGS,
        leastChecked,
        folder,
      });
      for (const line of describe(workload, engine, seen)) t.diagnostic(line);
      for (const missed of ratesMissed(workload, engine, seen))
        t.diagnostic(`missed, as far as this machine tells: ${missed}`);
      assert.ok(seen.checked >= LEAST_CHECKED, `only ${seen.checked} samples could be checked`);
      assert.deepEqual(untruthsOf(workload, engine, seen), []);
    });
  }
}
