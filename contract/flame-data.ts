/** A flame graph as arrays, one entry per node, parents before children (depth-first, siblings by total, largest first). Counts are samples. Node 0 is the root ("all"). */
export interface FlameData {
  readonly sequence: number; // grows with every refresh of a live capture
  readonly totalSamples: number;
  readonly periodNs: number;
  readonly functionNames: readonly string[];
  readonly functionKinds: Uint8Array; // index into FRAME_KINDS
  readonly functionFiles: readonly string[]; // '' when unknown
  readonly functionHeadLines: Uint32Array; // 0 when unknown
  readonly nodeFunction: Uint32Array;
  readonly nodeParent: Int32Array; // -1 for the root
  readonly nodeDepth: Uint16Array;
  readonly nodeStart: Uint32Array; // left edge, samples from the left of the whole graph
  readonly nodeTotal: Uint32Array;
  readonly nodeSelf: Uint32Array;
  readonly nodeLine: Uint32Array; // hottest call line, 0 when unknown
}
export const FRAME_KINDS = ["erlang", "bif", "fragment", "native", "nif", "kernel", "marker"] as const;
