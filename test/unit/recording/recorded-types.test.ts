import assert from "node:assert/strict";
import { test } from "node:test";
import { recordable, recorded } from "../../../extension/src/recording/recorded-types.js";

type Capabilities = Parameters<typeof recorded>[0];

const withTypes = (sampleTypes: unknown) => ({
  capabilities: () => Promise.resolve({ sampleTypes } as unknown as Capabilities),
});
const BOTH = withTypes(["cpu", "off-cpu"]);

test("all helpers of a capture are requested to record what each of them records", async () => {
  assert.deepEqual(await recordable(["cpu", "off-cpu"], [BOTH, BOTH]), { types: ["cpu", "off-cpu"] });
  assert.deepEqual(await recordable(["cpu", "off-cpu"], [BOTH, withTypes(["cpu"])]), {});
  assert.deepEqual(await recordable(["off-cpu"], [BOTH]), { types: ["off-cpu"] });
});

test("processor time alone is the default of each helper, and is not sent", async () => {
  assert.deepEqual(await recordable(undefined, [BOTH]), {});
  assert.deepEqual(await recordable(["cpu"], [BOTH]), {});
});

test("a helper of an earlier version, or one whose answer is another program's, records processor time", () => {
  for (const sampleTypes of [undefined, null, 7, "off-cpu", { includes: 1 }])
    assert.deepEqual(recorded({ sampleTypes } as unknown as Capabilities), ["cpu"]);
  assert.deepEqual(recorded(undefined), ["cpu"]);
  assert.deepEqual(recorded({ sampleTypes: ["cpu", 7] } as unknown as Capabilities), ["cpu"]);
});
