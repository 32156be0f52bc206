import type { CaptureTotals } from "../../../../contract/capture-answers.js";
import type { TopAnswer, TopOptions, TopRow } from "../questions.js";
import type { NodeCounts } from "../columns/node-counts.js";
import { BUILT_IN, KIND, OWNER, SOURCE } from "../tables/function-table.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import { OUTERMOST_OF_FUNCTION } from "../tables/stack-trie.js";
import type { OwnCounts } from "./own-code.js";
import type { SampleSelection } from "./sample-selection.js";
import { canSurround, isUnnamed, unnamedRows } from "./unnamed-code.js";

const NO_STACK = "[no stack]";
const BRACKETED_MARKER = "[bracketed]";

/**
 * Self and total of every function. With `onlyErlang` only Erlang functions and BIFs count (in foreign profiles those with a file):
 * what C code above them takes is theirs, and samples that show none appear under markers, as do bracketed ones unless their BIF is known.
 * C functions without a name are one row for each function they are inside of; with `withAddresses` each is on its own.
 */
export function topFunctions(
  tables: ProfileTables,
  selection: SampleSelection,
  own: OwnCounts,
  { onlyErlang, withAddresses }: TopOptions,
): TopAnswer {
  const { functions } = tables;
  const nodeSelf = selection.nodeSelf();
  const self = new Uint32Array(functions.count);
  const markers = new Map<string, number>();
  if (onlyErlang) countOwners(tables, selection, self, markers);
  else countLeaves(tables, nodeSelf, self, markers);
  const total = functionTotals(tables, nodeSelf, onlyErlang ? SOURCE | BUILT_IN | OWNER : 0);
  const callers = withAddresses ? namedCallers(tables, nodeSelf) : new Map<number, string>();
  const rows: TopRow[] = [];
  for (let index = 0; index < functions.count; index++) {
    if (total[index] === 0) continue;
    const { name, kind, file, headLine } = facts(tables, index);
    if (!withAddresses && !onlyErlang && isUnnamed(facts(tables, index))) continue;
    rows.push({
      name,
      functionIndex: index,
      oneOf: index,
      kind,
      file,
      line: headLine,
      calledFrom: callers.get(index) ?? "",
      own: own.functions[index] as number,
      self: self[index] as number,
      total: total[index] as number,
    });
  }
  for (const [name, samples] of markers) {
    rows.push({
      name,
      functionIndex: -1,
      oneOf: -1,
      kind: "marker",
      file: "",
      line: 0,
      calledFrom: "",
      own: 0,
      self: samples,
      total: samples,
    });
  }
  if (!withAddresses && !onlyErlang) {
    for (const unnamed of unnamedRows(tables, nodeSelf))
      rows.push({ ...unnamed, functionIndex: -1, file: "", line: 0, calledFrom: "", own: 0 });
  }
  rows.sort((a, b) => b.self - a.self || b.total - a.total || compare(a.name, b.name));
  const ofSelection: CaptureTotals = selection.totals();
  return { ...ofSelection, own: own.samples, rows };
}

/** Code unit order, as names are ordered everywhere. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function facts({ functions }: ProfileTables, index: number): (typeof functions.facts)[number] {
  return functions.facts[index] as (typeof functions.facts)[number];
}

function countLeaves(
  { stacks }: ProfileTables,
  nodeSelf: NodeCounts,
  self: Uint32Array,
  markers: Map<string, number>,
): void {
  nodeSelf.each((node, count) => {
    if (node === 0) return void markers.set(NO_STACK, count);
    const leaf = stacks.functionOf(node);
    self[leaf] = (self[leaf] as number) + count;
  });
}

function countOwners(
  { stacks, labels, functions }: ProfileTables,
  selection: SampleSelection,
  self: Uint32Array,
  markers: Map<string, number>,
): void {
  const owners = new Uint32Array(stacks.size);
  for (let node = 1; node < owners.length; node++) {
    const role = functions.roles.data[stacks.functionOf(node)] as number;
    owners[node] = role !== 0 ? node : (owners[stacks.parentOf(node)] as number);
  }
  selection.each((node, labelSet, count) => {
    const owner = owners[node] as number;
    if (owner === 0) return addTo(markers, labels.marker(labelSet), count);
    const functionIndex = stacks.functionOf(owner);
    // The frames between the C code and this one are not known: it is not its own time.
    if (functions.kinds.data[functionIndex] === KIND.erlang && labels.isBracketed(labelSet))
      return addTo(markers, BRACKETED_MARKER, count);
    self[functionIndex] = (self[functionIndex] as number) + count;
  });
}

/** Samples with each function anywhere in the stack; only those with such a role, 0 for all. */
function functionTotals({ stacks, functions }: ProfileTables, nodeSelf: NodeCounts, roles: number): Uint32Array {
  const ofFunction = new Uint32Array(functions.count);
  stacks.nodes.eachTotal(nodeSelf, (node, total) => {
    if (!stacks.isOutermost(node, OUTERMOST_OF_FUNCTION)) return true;
    const functionIndex = stacks.functionOf(node);
    if (roles === 0 || ((functions.roles.data[functionIndex] as number) & roles) !== 0)
      ofFunction[functionIndex] = (ofFunction[functionIndex] as number) + total;
    return true;
  });
  return ofFunction;
}

/** For leaves whose name was stripped (`beam.smp!fn@0x1a2b30`): the named function most of their samples were called from. */
function namedCallers(tables: ProfileTables, nodeSelf: NodeCounts): Map<number, string> {
  const { stacks, functions } = tables;
  const isStripped = Uint8Array.from(functions.facts, (each) => (isUnnamed(each) ? 1 : 0));
  const isNamed = Uint8Array.from(functions.facts, (each) => (canSurround(each) ? 1 : 0));
  const counts = new Map<number, Map<number, number>>();
  nodeSelf.each((node, count) => {
    if (node === 0) return;
    const leaf = stacks.functionOf(node);
    if (isStripped[leaf] === 0) return;
    let caller = stacks.parentOf(node);
    while (caller !== 0 && isNamed[stacks.functionOf(caller)] === 0) caller = stacks.parentOf(caller);
    if (caller === 0) return;
    let ofLeaf = counts.get(leaf);
    if (!ofLeaf) counts.set(leaf, (ofLeaf = new Map()));
    addTo(ofLeaf, stacks.functionOf(caller), count);
  });
  const names = new Map<number, string>();
  for (const [leaf, ofLeaf] of counts) {
    const [[caller] = [0]] = [...ofLeaf].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || a - b);
    names.set(leaf, facts(tables, caller).name);
  }
  return names;
}

function addTo<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
