import assert from "node:assert/strict";
import { test } from "node:test";
import { PbfWriter } from "pbf";
import { decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { topNodes } from "../../../extension/src/panels/top/top-nodes.js";
import { errorText } from "../../../extension/src/text/error-text.js";
import { ProfileBuilder } from "./profile-builder.js";

const ours = () => new ProfileBuilder().type("samples", "count").comment('extrospect/target {"node":"a"}');

test("readings of the run queue are summed up, over all increments", () => {
  const capture = newCapture();
  capture.append(ours().gzip());
  assert.equal(capture.facts.runQueue, undefined);
  capture.append(new ProfileBuilder().reading(0, 0).reading(1000, 12).gzip());
  assert.deepEqual(capture.facts.runQueue, { readings: 2, mean: 6, most: 12, last: 12 });
  capture.append(new ProfileBuilder().reading(2000, 3).gzip());
  assert.deepEqual(capture.facts.runQueue, { readings: 3, mean: 5, most: 12, last: 3 });
  capture.append(new ProfileBuilder().gzip());
  assert.deepEqual(capture.facts.runQueue, { readings: 3, mean: 5, most: 12, last: 3 });
});

test("what another program writes there, or nonsense, is no reading, and the rest of the profile stays", () => {
  const nonsense = (content: Uint8Array) => {
    const pbf = new PbfWriter();
    pbf.writeBytesField(1000, content);
    return pbf.finish();
  };
  const whole = ours().message();
  for (const content of [
    [],
    [0x10],
    [0x10, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x12, 0x03, 1],
    [0x0a, 1, 7],
    [0x10, ...Array.from({ length: 9 }, () => 0xff), 1],
    [0x07],
    [0x00],
  ]) {
    const capture = decodeCapture(Buffer.concat([whole, nonsense(Uint8Array.from(content))]));
    assert.equal(capture.facts.runQueue, undefined, content.join(" "));
    assert.equal(capture.facts.target?.node, "a");
  }
});

test("each node of a capture of several has its own", () => {
  const joined = joinedCapture();
  joined.addNode("a", decodeCapture(ours().reading(0, 4).gzip()));
  joined.addNode("b", decodeCapture(ours().gzip()));
  joined.catchUp();
  assert.deepEqual(
    joined.facts.nodes?.map(({ runQueue }) => runQueue),
    [{ readings: 1, mean: 4, most: 4, last: 4 }, undefined],
  );
  assert.equal(joined.facts.runQueue, undefined);
  assert.deepEqual(
    topNodes(joined, errorText).map(({ runQueue }) => runQueue),
    [{ mean: 4, most: 4, last: 4 }, null],
  );
});
