// What the table of nodes shows of a capture of several VMs.

import type { TopNode } from "../../../../contract/messages/top.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";
import type { CaptureError } from "../../capture/capture-error.js";
import type { Capture } from "../../capture/questions.js";

/** @param problemText why samples of a node are missing, for the user */
export function topNodes(
  capture: Pick<Capture, "nodeShares" | "facts">,
  problemText: (problem: CaptureError) => string,
): TopNode[] {
  const facts = new Map(capture.facts.nodes?.map((node) => [node.name, node]));
  return capture.nodeShares().map(({ name, samples, busy, classes }) => {
    const of = (wanted: SampleClass) => classes.find(({ sampleClass }) => sampleClass === wanted)?.samples ?? 0;
    const { clockAheadMs = 0, clockAheadAtEndMs = null, problem, runQueue } = facts.get(name) ?? {};
    const waited = runQueue === undefined ? null : { mean: runQueue.mean, most: runQueue.most, last: runQueue.last };
    return {
      name,
      samples,
      busy,
      gc: of("gc"),
      copy: of("copy"),
      scheduler: of("scheduler"),
      runQueue: waited,
      clockAheadMs,
      clockAheadAtEndMs,
      problem: problem === undefined ? "" : problemText(problem),
    };
  });
}
