/** The possible first levels of a flame graph; `none`: functions, as on the other levels. */
export const GROUPINGS = ["none", "process", "scheduler", "node"] as const;
export type GroupBy = (typeof GROUPINGS)[number];

/** A flame graph as arrays, one entry per node, parents before children (depth-first, siblings by total, largest first). Counts are samples. Node 0 is the root ("all"). */
export interface FlameData {
  readonly sequence: number; // grows with every refresh of a live capture
  readonly totalSamples: number;
  readonly periodNs: number;
  readonly groupedBy: GroupBy; // the kind of the nodes below the root; functions only with `none`
  readonly functionNames: readonly string[];
  readonly functionKinds: Uint8Array; // index into FRAME_KINDS
  readonly functionIsOwn: Uint8Array; // 1: the user's own code; all 0 where the graph does not distinguish it
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
  readonly functionFolding?: Uint8Array; // index into FOLDINGS; absent where nothing is folded
  readonly functionFamilies?: readonly string[]; // the work of the function, by which a run with it is named: a class of samples, `scheduler`, `runtime`, `fragment`, `nif:crypto.so`, `kernel`, `kernel:network`; '' for nothing
  readonly nodeFold?: Uint8Array; // index into NODE_FOLDS, where the page has folded the frames
  readonly difference?: FlameDifference; // of a graph of two sides
  readonly vms?: readonly string[]; // of a graph by node, all VMs of the capture, so that each keeps its hue whatever is filtered
}

/**
 * The additional figures of each node in a graph of two sides. Its counts are then not samples but parts of
 * `DIFFERENCE_PARTS`, which is all of the newer side.
 */
export interface FlameDifference {
  readonly nodeBase: Float64Array; // on the older side, in the unit of the measure
  readonly nodeNew: Float64Array;
  readonly nodeChange: Uint8Array; // index into NODE_CHANGES
  readonly nodeStep: Uint8Array; // how large the change is, from 1 to CHANGE_STEPS; 0 for none
}
export const DIFFERENCE_PARTS = 1 << 30;
export const NODE_CHANGES = ["none", "more", "less", "new", "gone"] as const;
export type NodeChange = (typeof NODE_CHANGES)[number];
export const CHANGE_STEPS = 4;
/** Runs of native frames are one frame, runs of kernel frames another below it; `base`: native, and where a thread begins. */
export const FOLDINGS = ["none", "native", "base", "kernel"] as const;
/** A frame of the program, one that stands for a run, and one that stands for a run and has the run below it. */
export const NODE_FOLDS = ["none", "folded", "open"] as const;
export type NodeFold = (typeof NODE_FOLDS)[number];
export const FRAME_KINDS = ["erlang", "bif", "fragment", "native", "nif", "kernel", "marker"] as const;
