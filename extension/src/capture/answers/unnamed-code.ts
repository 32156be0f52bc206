// C functions whose names were stripped from their object: `beam.smp!fn@0x1a2b30`. Their addresses mean nothing to a
// reader; the nearest function with a name in their callers does.

import type { FrameKindName } from "../../../../contract/capture-answers.js";
import type { NodeCounts } from "../columns/node-counts.js";
import type { FunctionFacts } from "../questions.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { totalsOf } from "./sample-selection.js";

/** Unnamed code of one kind that is inside one function with a name. */
export interface UnnamedRow {
  /** `(inside erts_garbage_collect_nobump)`; the object where no function of the stack has a name. */
  readonly name: string;
  /** One of the functions it is made of. */
  readonly oneOf: number;
  readonly kind: FrameKindName;
  self: number;
  total: number;
}

export function isUnnamed({ name }: Pick<FunctionFacts, "name">): boolean {
  return name.includes("!fn@");
}

/** Whether other code can be shown as inside this function: not inside markers and shared fragments. */
export function canSurround(facts: FunctionFacts): boolean {
  return facts.kind !== "marker" && facts.kind !== "fragment" && !isUnnamed(facts);
}

/**
 * One row for all unnamed code inside the same function.
 * @param nodeSelf samples with exactly the stack of each node
 */
export function unnamedRows({ stacks, functions }: ProfileTables, nodeSelf: NodeCounts): UnnamedRow[] {
  const unnamed = Uint8Array.from(functions.facts, (facts) => (isUnnamed(facts) ? 1 : 0));
  if (!unnamed.includes(1)) return [];
  const surrounding = Uint8Array.from(functions.facts, (facts) => (canSurround(facts) ? 1 : 0));
  const totals = totalsOf(stacks, nodeSelf);
  /** The nearest node of unnamed code of each stack, with the row of that. */
  const nearestUnnamed = new Uint32Array(stacks.size);
  const rowOf = new Uint32Array(stacks.size);
  const rows: UnnamedRow[] = [];
  /** By row: the function + 1 with a name that it is inside of. */
  const insideOf: number[] = [];
  const numbers = new Map<string, number>();
  const row = (functionIndex: number, inside: number): number => {
    const { kind, name, object } = functions.facts[functionIndex] as FunctionFacts;
    const surroundings = inside === 0 ? object : (functions.facts[inside - 1] as FunctionFacts).name;
    const key = `${kind} ${inside === 0 ? "object" : "function"} ${surroundings}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, rows.length);
    insideOf.push(inside);
    return (
      rows.push({
        name: surroundings === "" ? name : `(inside ${surroundings})`,
        oneOf: functionIndex,
        kind,
        self: 0,
        total: 0,
      }) - 1
    );
  };
  const nearestNamed = (from: number): number => {
    let node = from;
    for (; node !== 0; node = stacks.parentOf(node)) {
      const functionIndex = stacks.functionOf(node);
      if (surrounding[functionIndex] === 1) return functionIndex + 1;
      if (unnamed[functionIndex] === 1) return insideOf[rowOf[node] as number] as number;
    }
    return 0;
  };
  for (let node = 1; node < stacks.size; node++) {
    if (totals[node] === 0) continue;
    const functionIndex = stacks.functionOf(node);
    const parent = stacks.parentOf(node);
    nearestUnnamed[node] = unnamed[functionIndex] === 1 ? node : (nearestUnnamed[parent] as number);
    if (unnamed[functionIndex] === 0) continue;
    const number = row(functionIndex, nearestNamed(parent));
    rowOf[node] = number;
    const of = rows[number] as UnnamedRow;
    of.self += nodeSelf.at(node);
    let outer = nearestUnnamed[parent] as number;
    while (outer !== 0 && rowOf[outer] !== number) outer = nearestUnnamed[stacks.parentOf(outer)] as number;
    // A sample counts once, in the outermost.
    if (outer === 0) of.total += totals[node] as number;
  }
  return rows;
}
