import type { NeighbourCounts, PlaceDetail } from "../questions.js";
import { SOURCE } from "../tables/function-table.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { OUTERMOST_OF_FRAME, OUTERMOST_OF_FUNCTION } from "../tables/stack-trie.js";
import { calledByOwn } from "./called-by-own.js";
import type { CaptureCounts } from "./capture-counts.js";
import { classShares } from "./class-split.js";
import type { OwnCode } from "./own-code.js";
import { totalsOf } from "./sample-selection.js";

/**
 * All about a function or one of its lines. Callers and callees are the next frames, of whatever kind, most samples first. Each sample counts once:
 * for its caller where the function is farthest from the leaf, for its callee where it is nearest to it, so a recursive function calls others and is called by others.
 */
export function placeDetail(
  tables: ProfileTables,
  counts: CaptureCounts,
  ownCode: OwnCode,
  functionIndex: number,
  line: number | undefined,
): PlaceDetail {
  const { stacks, functions, labels, samples } = tables;
  const selfAndTotal =
    line === undefined ? counts.ofFunction(functionIndex) : counts.ofLine(functions, functionIndex, line);
  const wantedFrames = new Uint8Array(functions.frames.size);
  for (const frame of functions.framesOf(functionIndex))
    if (line === undefined || functions.frames.second.at(frame) === line) wantedFrames[frame] = 1;
  const size = stacks.size;
  const frames = stacks.nodes.label.data;
  const flag = line === undefined ? OUTERMOST_OF_FUNCTION : OUTERMOST_OF_FRAME;
  const nodeSelf = counts.nodeSelf(tables);
  const totals = totalsOf(stacks, nodeSelf);
  /** Child of the wanted node nearest to the leaf, on the way to each node; the node itself when it is that one. */
  const branch = new Uint32Array(size);
  const callers = new Neighbours();
  const callees = new Neighbours();
  for (let node = 1; node < size; node++) {
    const parent = stacks.parentOf(node);
    if (wantedFrames[frames[node] as number]) {
      branch[node] = node;
      if (parent !== 0 && totals[node] !== 0 && stacks.isOutermost(node, flag))
        callers.add(stacks.functionOf(parent), stacks.lineOf(parent), totals[node] as number);
    } else {
      const above = branch[parent] as number;
      branch[node] = above !== 0 && above === parent && wantedFrames[frames[above] as number] ? node : above;
    }
  }
  nodeSelf.each((node, count) => {
    const at = branch[node] as number;
    if (at === 0 || wantedFrames[frames[at] as number]) return;
    callees.add(stacks.functionOf(at), stacks.lineOf(stacks.parentOf(at)), count);
  });
  const owned = new Uint32Array(labels.size);
  const isSource =
    functionIndex >= 0 && functionIndex < functions.count && functions.roles.at(functionIndex) === SOURCE;
  for (let row = 0; row < samples.length; row++) {
    const node = samples.node.data[row] as number;
    if (branch[node] === 0) continue;
    const set = samples.labels.data[row] as number;
    const owner = !isSource ? node : labels.isBracketed(set) ? 0 : stacks.nearest(node, SOURCE);
    if (owner !== 0 && wantedFrames[frames[owner] as number])
      owned[set] = (owned[set] as number) + (samples.count.data[row] as number);
  }
  const called = ownCode.has(functionIndex) ? calledByOwn(tables, ownCode.owners(tables), wantedFrames) : [];
  const own = called.reduce((sum, each) => sum + each.samples, 0);
  return {
    ...selfAndTotal,
    own,
    called,
    classes: classShares(labels, owned),
    callers: callers.rows(),
    callees: callees.rows(),
  };
}

class Neighbours {
  readonly #functions = new Map<number, Map<number, number>>();

  add(functionIndex: number, line: number, count: number): void {
    let lines = this.#functions.get(functionIndex);
    if (!lines) this.#functions.set(functionIndex, (lines = new Map()));
    lines.set(line, (lines.get(line) ?? 0) + count);
  }

  /** Most samples first. */
  rows(): NeighbourCounts[] {
    return [...this.#functions]
      .map(([functionIndex, lines]) => {
        const [[line] = [0]] = [...lines].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || a - b);
        return { functionIndex, line, samples: [...lines.values()].reduce((sum, count) => sum + count, 0) };
      })
      .sort((a, b) => b.samples - a.samples || a.functionIndex - b.functionIndex);
  }
}
