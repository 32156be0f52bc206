// Texts about time in the kernel: where it is missing, how much at least, and none where it is there or unknown.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KernelTime, QualityRecord } from "../../../contract/protocol.generated.js";
import { kernelTimeRemark, missingKernelTime } from "../../../extension/src/captures/kernel-time.js";
import { qualityFigures, qualityProblems } from "../../../extension/src/captures/quality.js";
import type { NodeFacts } from "../../../extension/src/capture/questions.js";
import { readComments } from "../../../extension/src/capture/decode/profile-comments.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const WITH: KernelTime = { sampled: true, cpu_ns: 0, missing_ns: 0 };
const WITHOUT: KernelTime = { sampled: false, cpu_ns: 1000, missing_ns: 419 };

/** As a capture has it. @param kernel undefined for a helper that does not say */
function quality(kernel?: unknown): QualityRecord {
  const { quality: read } = readComments([
    `extrospect/quality ${JSON.stringify({ samples: 9, ...(kernel === undefined ? {} : { kernel }) })}`,
  ]);
  assert.ok(read);
  return read;
}

test("a capture without time in the kernel states a lower bound of the missing part, rounded down", () => {
  assert.equal(
    missingKernelTime(quality(WITHOUT), ENGLISH, "en"),
    "User code only: at least 41% of the VM's processor time (kernel) is not included",
  );
  assert.match(missingKernelTime(quality(WITHOUT), GERMAN, "de"), /^Nur Benutzercode: Mindestens 41/);
  for (const little of [{ sampled: false }, { ...WITHOUT, missing_ns: 9 }, { ...WITHOUT, missing_ns: "many" }])
    assert.equal(missingKernelTime(quality(little), ENGLISH), "User code only: time in the kernel is not included");
  assert.deepEqual(
    qualityProblems(quality(WITHOUT), ENGLISH, "en").filter((problem) => problem.startsWith("User code only")).length,
    1,
  );
  assert.deepEqual(
    qualityFigures(quality(WITHOUT), ENGLISH, "en").find(({ name }) => name === "Time in the kernel")?.value,
    "not in it: at least 41%",
  );
});

test("a capture that has it, or lacks the fact, has no remark", () => {
  for (const known of [quality(WITH), quality(), quality(7)]) {
    assert.equal(missingKernelTime(known, ENGLISH), "");
    assert.deepEqual(qualityProblems(known, ENGLISH), []);
  }
  assert.equal(missingKernelTime(null, ENGLISH), "");
});

test("of several VMs those are named that lack it, and what that means where others have it", () => {
  const node = (name: string, kernel?: KernelTime): NodeFacts => ({
    name,
    target: null,
    quality: quality(kernel),
    startedUnixMs: 0,
    durationMs: 0,
    clockAheadMs: 0,
  });
  const remark = (nodes: NodeFacts[]) => kernelTimeRemark({ quality: null, nodes }, ENGLISH, "en");
  assert.equal(remark([node("a", WITH), node("b")]), "");
  const mixed = remark([node("a", WITH), node("b", WITHOUT)]);
  assert.match(mixed, /^b: User code only: at least 41%.*are not comparable$/);
  assert.doesNotMatch(remark([node("a", WITHOUT), node("b", WITHOUT)]), /are not comparable/);
});
