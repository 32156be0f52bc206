import type { BlameChoice } from "../../../../contract/capture-answers.js";
import { NodeCounts } from "../columns/node-counts.js";
import type { BlameAnswer, BlameCaller } from "../questions.js";
import { OWNER, SOURCE } from "../tables/function-table.js";
import type { ProfileTables } from "../tables/profile-tables.js";
import type { CaptureCounts } from "./capture-counts.js";
import type { OwnCode } from "./own-code.js";
import { NATIVE_GROUPS, nativeQuery } from "./native-query.js";
import type { SampleSelection } from "./sample-selection.js";
import { compare } from "./top-functions.js";

/** Levels of callers in an answer. */
const MAX_DEPTH = 12;

/** A caller while counting. */
interface CallerNode {
  readonly functionIndex: number;
  /** Of a marker; else empty. */
  readonly marker: string;
  readonly atOrBelow: boolean;
  samples: number;
  readonly lines: Map<number, number>;
  /** By function and certainty, or by marker. */
  readonly callers: Map<number | string, CallerNode>;
}

/** Samples that no own code caused. */
const NO_OWN_CODE = "[no own code]";

/**
 * Finds the Erlang functions (in foreign profiles those with a file) that cause native work. No sample is left out:
 * those without such a function come under a marker.
 * @param ownCode only its functions are callers; null for all
 */
export function blameCallers(
  tables: ProfileTables,
  selection: SampleSelection,
  query: string,
  ownCode: OwnCode | null,
): BlameAnswer {
  const { stacks, functions, labels } = tables;
  const isWanted = nativeQuery(query);
  const wanted = Uint8Array.from(functions.facts, (facts) => (isWanted(facts) ? 1 : 0));
  const leafmost = nearestWanted(tables, wanted);
  const callerOf = ownCode === null ? nearestSource(tables, wanted) : nearestOwn(tables, wanted, ownCode);
  /** 1 for the stacks of matched samples. */
  const isMatched = new Uint8Array(stacks.size);
  const root = newCaller(-1, "", false);
  selection.each((node, labelSet, count) => {
    const match = leafmost[node] as number;
    if (match === 0) return;
    isMatched[node] = 1;
    root.samples += count;
    if (callerOf(match) !== 0) return;
    const marker = ownCode !== null && stacks.nearest(match, SOURCE) !== 0 ? NO_OWN_CODE : labels.marker(labelSet);
    addTo(root, -1, marker, false, 0, count);
  });
  for (const atOrBelow of [false, true]) {
    const byMatch = NodeCounts.of(stacks.size, (take) =>
      selection.each((node, labelSet, count) => {
        const match = leafmost[node] as number;
        if (match !== 0 && labels.isBracketed(labelSet) === atOrBelow) take(match, count);
      }),
    );
    byMatch.each((match, count) => {
      let into = root;
      let caller = callerOf(match);
      for (let depth = 0; depth < MAX_DEPTH && caller !== 0; depth++) {
        // Only the nearest one is uncertain; its own callers are known again.
        into = addTo(into, stacks.functionOf(caller), "", atOrBelow && depth === 0, stacks.lineOf(caller), count);
        caller = callerOf(stacks.parentOf(caller));
      }
    });
  }
  return {
    ...selection.totals(),
    query,
    symbols: symbolsOf(tables, isMatched, wanted),
    matched: root.samples,
    callers: sorted(root, tables),
  };
}

/** The groups, then the native functions of the capture. Profiles without Erlang have no use for groups that find nothing. */
export function blameChoices(tables: ProfileTables, counts: CaptureCounts): BlameChoice[] {
  const { stacks, functions } = tables;
  const inGroups = NATIVE_GROUPS.map(({ name }) => nativeQuery(name));
  const bits = Uint32Array.from(functions.facts, (facts) =>
    inGroups.reduce((all, isInGroup, group) => (isInGroup(facts) ? all | (1 << group) : all), 0),
  );
  const seen = new Uint32Array(stacks.size);
  const self = counts.nodeSelf(tables);
  const samples = new Array<number>(NATIVE_GROUPS.length).fill(0);
  for (let node = 1; node < seen.length; node++) {
    const groups = (seen[stacks.parentOf(node)] as number) | (bits[stacks.functionOf(node)] as number);
    seen[node] = groups;
    const count = self.at(node);
    for (let rest = groups, group = 0; rest !== 0 && count > 0; rest >>>= 1, group++)
      if (rest & 1) samples[group] = (samples[group] as number) + count;
  }
  const byName = new Map<string, number>();
  for (const [index, { name, kind }] of functions.facts.entries()) {
    if (kind === "erlang" || kind === "marker") continue;
    const total = counts.totalOf(index);
    // Two objects may have a function of one name; the one with more samples speaks for both.
    if (total > (byName.get(name) ?? 0)) byName.set(name, total);
  }
  return [
    ...NATIVE_GROUPS.map(({ name }, group) => ({
      query: name,
      isGroup: true,
      samples: samples[group] as number,
    })).filter((choice) => hasAllGroups(tables) || choice.samples > 0),
    ...[...byName]
      .map(([query, total]) => ({ query, isGroup: false, samples: total }))
      .sort((a, b) => b.samples - a.samples || compare(a.query, b.query)),
  ];
}

/** Whether a group is among the choices. Only in other profiles does that take a pass over all stacks. */
export function isBlameGroup(tables: ProfileTables, counts: CaptureCounts, query: string): boolean {
  if (!NATIVE_GROUPS.some(({ name }) => name === query)) return false;
  return (
    hasAllGroups(tables) || blameChoices(tables, counts).some((choice) => choice.isGroup && choice.query === query)
  );
}

function hasAllGroups({ description }: ProfileTables): boolean {
  return description?.facts.isOwn ?? false;
}

/** For each node the wanted node nearest to the leaf among itself and its ancestors, 0 for none. */
function nearestWanted({ stacks }: ProfileTables, wanted: Uint8Array): Uint32Array {
  const nearest = new Uint32Array(stacks.size);
  for (let node = 1; node < nearest.length; node++)
    nearest[node] = wanted[stacks.functionOf(node)] ? node : (nearest[stacks.parentOf(node)] as number);
  return nearest;
}

/**
 * Finds the nearest function with source that does not match the query itself (in foreign profiles it can); 0 for none.
 */
function nearestSource({ stacks, functions }: ProfileTables, wanted: Uint8Array): (node: number) => number {
  const isOwner = (node: number) => functions.roles.at(stacks.functionOf(node)) === OWNER;
  return (node) => {
    const nearest = (at: number) => stacks.nearest(at, SOURCE | OWNER);
    let caller = nearest(node);
    // The frame of a port matches the query and is its own cause.
    while (caller !== 0 && wanted[stacks.functionOf(caller)] && !isOwner(caller))
      caller = nearest(stacks.parentOf(caller));
    return caller;
  };
}

/** The same among own code. */
function nearestOwn(tables: ProfileTables, wanted: Uint8Array, ownCode: OwnCode): (node: number) => number {
  const { stacks } = tables;
  const owners = ownCode.owners(tables);
  return (node) => {
    let caller = owners[node] as number;
    while (caller !== 0 && wanted[stacks.functionOf(caller)]) caller = owners[stacks.parentOf(caller)] as number;
    return caller;
  };
}

function newCaller(functionIndex: number, marker: string, atOrBelow: boolean): CallerNode {
  return { functionIndex, marker, atOrBelow, samples: 0, lines: new Map(), callers: new Map() };
}

function addTo(
  parent: CallerNode,
  functionIndex: number,
  marker: string,
  atOrBelow: boolean,
  line: number,
  count: number,
): CallerNode {
  const key = marker === "" ? functionIndex * 2 + (atOrBelow ? 1 : 0) : marker;
  let node = parent.callers.get(key);
  if (!node) parent.callers.set(key, (node = newCaller(functionIndex, marker, atOrBelow)));
  node.samples += count;
  node.lines.set(line, (node.lines.get(line) ?? 0) + count);
  return node;
}

/**
 * Names of the wanted functions anywhere in matched stacks.
 * @param isIn 1 for the matched stacks; afterwards also for all their ancestors
 */
function symbolsOf({ stacks, functions }: ProfileTables, isIn: Uint8Array, wanted: Uint8Array): string[] {
  const symbols = new Set<number>();
  for (let node = isIn.length - 1; node > 0; node--) {
    if (isIn[node] === 0) continue;
    isIn[stacks.parentOf(node)] = 1;
    const functionIndex = stacks.functionOf(node);
    if (wanted[functionIndex]) symbols.add(functionIndex);
  }
  const names = new Set([...symbols].map((index) => (functions.facts[index] as { name: string }).name));
  return [...names].sort(compare);
}

function sorted({ callers }: CallerNode, tables: ProfileTables): BlameCaller[] {
  return [...callers.values()]
    .map((caller) => {
      const facts = tables.functions.facts[caller.functionIndex];
      const [[line] = [0]] = [...caller.lines].sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || b - a);
      return {
        name: facts?.name ?? caller.marker,
        functionIndex: caller.functionIndex,
        file: facts?.file ?? "",
        line: line || (facts?.headLine ?? 0),
        atOrBelow: caller.atOrBelow,
        samples: caller.samples,
        callers: sorted(caller, tables),
      };
    })
    .sort((a, b) => b.samples - a.samples || compare(a.name, b.name));
}
