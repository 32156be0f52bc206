// What the table of nodes shows of a capture of several VMs. How many processes wait to run is not sampled, so it is not here.

import type { TopNode } from "../../../../contract/messages/top.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";
import type { Capture } from "../../capture/questions.js";

export function topNodes(capture: Pick<Capture, "nodeShares" | "facts">): TopNode[] {
  const facts = new Map(capture.facts.nodes?.map((node) => [node.name, node]));
  return capture.nodeShares().map(({ name, samples, busy, classes }) => {
    const of = (wanted: SampleClass) => classes.find(({ sampleClass }) => sampleClass === wanted)?.samples ?? 0;
    const { clockAheadMs = 0, problem = "" } = facts.get(name) ?? {};
    return { name, samples, busy, gc: of("gc"), copy: of("copy"), scheduler: of("scheduler"), clockAheadMs, problem };
  });
}
