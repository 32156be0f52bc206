/** What the first level of a flame graph may be; `none`: functions, as on the other levels. */
export const GROUPINGS = ["none", "process", "scheduler"] as const;
export type GroupBy = (typeof GROUPINGS)[number];

/** A flame graph as arrays, one entry per node, parents before children (depth-first, siblings by total, largest first). Counts are samples. Node 0 is the root ("all"). */
export interface FlameData {
  readonly sequence: number; // grows with every refresh of a live capture
  readonly totalSamples: number;
  readonly periodNs: number;
  readonly groupedBy: GroupBy; // what the nodes below the root are; functions only with `none`
  readonly functionNames: readonly string[];
  readonly functionKinds: Uint8Array; // index into FRAME_KINDS
  readonly functionIsOwn: Uint8Array; // 1: the user's own code; all 0 where the graph does not tell it apart
  readonly functionFiles: readonly string[]; // '' when unknown
  readonly functionHeadLines: Uint32Array; // 0 when unknown
  readonly nodeFunction: Uint32Array;
  readonly nodeParent: Int32Array; // -1 for the root
  readonly nodeDepth: Uint16Array;
  readonly nodeStart: Uint32Array; // left edge, samples from the left of the whole graph
  readonly nodeTotal: Uint32Array;
  readonly nodeSelf: Uint32Array;
  readonly nodeLine: Uint32Array; // hottest call line, 0 when unknown
  readonly nodeLevels: Uint16Array; // where recursion is collapsed, most frames of the function in a row that became this node; else 1
}
export const FRAME_KINDS = ["erlang", "bif", "fragment", "native", "nif", "kernel", "marker"] as const;
