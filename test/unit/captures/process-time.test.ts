// How much of the VM's processor time is in the samples.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accountedShare } from "../../../extension/src/captures/process-time.js";

test("the share is rounded up, and where that makes it all nothing is known to be missing", () => {
  const share = (missing_ns: number, cpu_ns = 1000) => accountedShare({ cpu_ns, missing_ns });
  assert.deepEqual(
    [share(9), share(10), share(11), share(500), share(1000), share(5000)],
    [undefined, 0.99, 0.99, 0.5, 0, 0],
  );
  assert.deepEqual([share(0), share(5, 0), accountedShare(undefined)], [undefined, undefined, undefined]);
});
