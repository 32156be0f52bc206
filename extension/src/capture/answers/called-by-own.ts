import { SAMPLE_CLASSES } from "../../../../contract/sample-classes.js";
import type { CalledShare } from "../questions.js";
import { BUILT_IN, SOURCE } from "../tables/function-table.js";
import { NO_CLASS } from "../tables/label-sets.js";
import type { ProfileTables } from "../tables/profile-tables.js";

const ITS_OWN_CODE = SAMPLE_CLASSES.indexOf("erlang");

/**
 * What frames of own code called, of the samples that count for them: the next Erlang function or BIF, else the class of what the VM did for them. Most samples first.
 * @param owners see `OwnCode.owners`
 * @param wanted the frames, 1 each
 */
export function calledByOwn(
  { stacks, functions, labels, samples }: ProfileTables,
  owners: Uint32Array,
  wanted: Uint8Array,
): CalledShare[] {
  const frames = stacks.nodes.label.data;
  const frameFunction = functions.frames.first.data;
  const roles = functions.roles.data;
  /** The function + 1 that was called from the innermost own frame, by node; 0 when it called none. */
  const called = new Uint32Array(stacks.size);
  for (let node = 1; node < called.length; node++) {
    const owner = owners[node] as number;
    if (owner === 0 || owner === node || !wanted[frames[owner] as number]) continue;
    const above = called[stacks.parentOf(node)] as number;
    const functionIndex = frameFunction[frames[node] as number] as number;
    called[node] =
      above !== 0 ? above : ((roles[functionIndex] as number) & (SOURCE | BUILT_IN)) !== 0 ? functionIndex + 1 : 0;
  }
  const byFunction = new Map<number, number>();
  const byClass = new Map<number, number>();
  for (let row = 0; row < samples.length; row++) {
    const node = samples.node.data[row] as number;
    const labelSet = samples.labels.data[row] as number;
    const owner = owners[node] as number;
    if (owner === 0 || !wanted[frames[owner] as number] || labels.isBracketed(labelSet)) continue;
    const callee = called[node] as number;
    const leaf = frameFunction[frames[node] as number] as number;
    // The user's own C code is of the class of a NIF or the runtime, and yet it is the own code, not something called
    // from it.
    const isOwnC = owner === node && ((roles[leaf] as number) & SOURCE) === 0 && labels.class.at(labelSet) !== NO_CLASS;
    const [counts, key] =
      callee !== 0 ? [byFunction, callee - 1] : [byClass, isOwnC ? ITS_OWN_CODE : labels.class.at(labelSet)];
    counts.set(key, (counts.get(key) ?? 0) + (samples.count.data[row] as number));
  }
  return [
    ...[...byFunction].map(([functionIndex, count]) => ({ functionIndex, sampleClass: null, samples: count })),
    ...[...byClass].map(([sampleClass, count]) => ({
      functionIndex: -1,
      sampleClass: SAMPLE_CLASSES[sampleClass] ?? null,
      samples: count,
    })),
  ].sort((a, b) => b.samples - a.samples || a.functionIndex - b.functionIndex);
}
