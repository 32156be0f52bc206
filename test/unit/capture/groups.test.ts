import assert from "node:assert/strict";
import { test } from "node:test";
import { CaptureCounts } from "../../../extension/src/capture/answers/capture-counts.js";
import { SampleSelection } from "../../../extension/src/capture/answers/sample-selection.js";
import { decodeProfile } from "../../../extension/src/capture/decode/profile-decoder.js";
import { calleeTree } from "../../../extension/src/capture/flame/callee-tree.js";
import { callerTree } from "../../../extension/src/capture/flame/caller-tree.js";
import { stacksByGroup } from "../../../extension/src/capture/flame/flame-stacks.js";
import { groupedSamples } from "../../../extension/src/capture/flame/grouped-samples.js";
import { ProfileTables } from "../../../extension/src/capture/tables/profile-tables.js";
import { ProfileBuilder } from "./profile-builder.js";

const SHAPE = { hideNative: false, hideKernel: false, collapseRecursion: true };

/** Three processes with 2, 30 and 4 samples, each in a stack of ten functions. */
function decoded() {
  const file = new ProfileBuilder().type("samples", "count").comment('extrospect/settings {"frequency_hz":99}');
  const locations = Array.from({ length: 10 }, (_, index) => index + 1);
  for (const id of locations) file.function(id, `m:f${id}/0`, `erlang!m:f${id}/0`).location(id, [[id, id]]);
  for (const [name, samples] of Object.entries({ small: 2, large: 30, middle: 4 })) {
    file.sample({ locations, values: [samples], labels: [{ key: file.string("process"), text: file.string(name) }] });
  }
  const tables = new ProfileTables();
  decodeProfile(tables, file.message(), false, false);
  const counts = new CaptureCounts();
  counts.update(tables);
  return { tables, selection: new SampleSelection(tables, counts) };
}

/** `group total, nodes below` of each group, and the total of the root. */
function groupsOf(
  { size, parent, functionIndex, total }: ReturnType<typeof calleeTree>,
  values: readonly string[],
  functions: number,
) {
  const groups = [...functionIndex.subarray(0, size).keys()].filter((node) => node > 0 && parent[node] === 0);
  const below = (group: number) => {
    const inside = new Set([group]);
    for (let node = group + 1; node < size; node++) if (inside.has(parent[node] as number)) inside.add(node);
    return inside.size - 1;
  };
  return {
    all: total[0],
    groups: groups.map(
      (node) => `${values[(functionIndex[node] as number) - functions]} ${total[node]}, ${below(node)}`,
    ),
  };
}

test("of too many groups the largest stay, and the root has the samples of all", () => {
  const { tables, selection } = decoded();
  const grouped = groupedSamples(tables.labels, selection, "process", 2);
  assert.deepEqual([grouped.values, grouped.leftOut], [["large", "middle"], 2]);
  const expected = { all: 36, groups: ["large 30, 10", "middle 4, 10"] };
  const { count } = tables.functions;
  assert.deepEqual(
    groupsOf(calleeTree(tables, stacksByGroup(tables, grouped), SHAPE), grouped.values, count),
    expected,
  );
  assert.deepEqual(groupsOf(callerTree(tables, grouped, SHAPE), grouped.values, count), expected);
});

test("where the stacks of all groups have no room, the smallest groups lose theirs but not their samples", () => {
  const { tables, selection } = decoded();
  const grouped = groupedSamples(tables.labels, selection, "process");
  const room = 1 + 3 + 2 * 10;
  assert.deepEqual(
    groupsOf(calleeTree(tables, stacksByGroup(tables, grouped, room), SHAPE), grouped.values, tables.functions.count),
    {
      all: 36,
      groups: ["small 2, 0", "large 30, 10", "middle 4, 10"],
    },
  );
});
