// The sentence of the page of waits about a watch.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WaitsSeen } from "../../../contract/messages/waits.js";
import type { WaitsGraph } from "../../../contract/protocol.generated.js";
import { targetText } from "../../../webviews/waits/process-text.js";
import { nobodyText, seenText } from "../../../webviews/waits/seen-text.js";

const GRAPH: WaitsGraph = {
  edges: [],
  cycles: [],
  cycle_limits: [],
  unknown_calls: [],
  in_unknown_calls: 0,
  in_c: [],
  late: [],
  ends: [],
  more: 0,
  unproven: 0,
  moved: 0,
  not_searched: 0,
};
const SEEN: WaitsSeen = {
  head: { pid: 7, node: "", host: "" },
  takenUnixMs: 0,
  endedUnixMs: null,
  seconds: 2,
  looks: 5,
  processes: 43,
  waiting: 40,
  restless: 2,
  unread: 1,
  graph: GRAPH,
  full: false,
  standstill: null,
  schedulers: null,
  processors: null,
};

test("that no process waits in a call is stated only where every process was read", () => {
  assert.match(nobodyText({ graph: GRAPH, unread: 0, endedUnixMs: null }), /^No process waits in a call/);
  for (const [graph, unread] of [
    [{ ...GRAPH, unproven: 3 }, 0],
    [{ ...GRAPH, moved: 1 }, 0],
    [{ ...GRAPH, in_unknown_calls: 4 }, 0],
    [{ ...GRAPH, in_maybe_calls: 4 }, 0],
    [GRAPH, 1],
    // A capture does not contain how many stacks could not be read.
    [GRAPH, null],
  ] as const)
    assert.equal(nobodyText({ graph, unread, endedUnixMs: null }), "No process is known to wait for another one.");
  assert.equal(
    nobodyText({ graph: GRAPH, unread: 0, endedUnixMs: 1_700_000_000_000 }),
    "The VM ended before the waits between processes were read.",
  );
});

test("processes that were not seen waiting are accounted for", () => {
  assert.match(
    seenText(SEEN),
    /^40 of 43 processes waited at .*; watched for 2\.0 s, 5 snapshots\. 2 processes were running, in C code, or ending\. The stack of 1 process could not be read\.$/,
  );
  assert.match(seenText({ ...SEEN, restless: 0, unread: null, full: true }), /5 snapshots\. The capture is full/);
  assert.match(
    seenText({ ...SEEN, restless: 0, unread: 0, endedUnixMs: 1_700_000_000_000 }),
    /5 snapshots\. The VM had ended by \S+( [AP]M)?; the snapshots until then are shown\.$/,
  );
});

test("an idle process has or had a request that was handed on, one at work has it", () => {
  const edge = {
    target: { pid: "<0.9.0>", name: "worker", node: null },
    via: { pid: "<0.8.0>", name: null, node: null },
    lock: null,
  };
  assert.equal(targetText(edge), "<0.9.0> worker, which has their request from <0.8.0>");
  assert.equal(
    targetText({ ...edge, has_or_had: true }),
    "<0.9.0> worker, which has or had their request from <0.8.0>",
  );
});
