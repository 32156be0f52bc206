// The garbage in the heaps of a group of processes. How much of a heap is garbage is known after all of its live terms
// were followed, so some processes at rest are read, spread from the largest heap of the group to the smallest, as
// `extrospect ps --by` does. No vscode in here.

import type { GroupHeaps } from "../../../../contract/messages/processes.js";
import type { ProcessLine, ProcessQuery } from "../../../../contract/protocol.generated.js";
import { Cancelled, HelperError } from "../../helper/helper-error.js";
import type { Cancellation } from "../../helper/helper-connection.js";
import { isEndOfVm, type InsideVm } from "../../inside/inside-vm.js";
import { MOST_LINES } from "./process-view.js";

const MOST_READ = 5;
/** Groups among which the wanted one is searched for: those with the most heap in use. */
const MOST_GROUPS = 10_000;
/** Processes beside the wanted one, one of which may be at rest. */
const NEIGHBOURS = 20;
/** Words of all heaps together. */
const MOST_WORDS = 512_000_000 / 8;
const AT_WORK: ReadonlySet<string> = new Set(["running", "garbage_collecting", "exiting"]);

type Source = Pick<InsideVm, "processes" | "heap">;

/**
 * @param key of the group
 * @param query by which the list has that group
 */
export async function groupHeaps(
  vm: Source,
  key: string,
  query: ProcessQuery,
  token: Cancellation,
): Promise<GroupHeaps> {
  const wanted: ProcessQuery = { ...query, sort: "heapUsed", descending: true, open: [key] };
  const lines = async (first: number, limit: number) =>
    (await vm.processes({ look: false, query: wanted, first, limit }, token)).lines;
  const group = await found(lines, key);
  const heaps = { processes: 0, of: group?.count ?? 0, usedWords: 0, liveWords: 0, liveWordsAtLeast: false };
  if (group === undefined) return heaps;
  const many = Math.min(MOST_READ, group.count);
  const read = new Set<string>();
  for (let index = 0; index < many; index++) {
    const place = many === 1 ? 0 : Math.floor((index * (group.count - 1)) / (many - 1));
    const near = await lines(group.at + 1 + place, Math.min(NEIGHBOURS, group.count - place));
    const resting = near.find((line) => isWanted(line) && !read.has(line.key));
    if (resting === undefined || heaps.usedWords + resting.heapUsedWords > MOST_WORDS) continue;
    read.add(resting.key);
    const heap = await heapOf(vm, resting.key, token);
    if (heap === undefined) continue;
    heaps.processes += 1;
    heaps.usedWords += heap.usedWords;
    heaps.liveWords += heap.liveWords;
    heaps.liveWordsAtLeast ||= heap.liveWordsAtLeast;
  }
  return heaps;
}

/** The list may have changed since the group was found: lines below groups are of the only open one. */
function isWanted({ level, process }: ProcessLine): boolean {
  return level === 2 && process !== null && !AT_WORK.has(process.status);
}

async function found(
  lines: (first: number, limit: number) => Promise<readonly ProcessLine[]>,
  key: string,
): Promise<{ readonly at: number; readonly count: number } | undefined> {
  for (let first = 0; first < MOST_GROUPS; first += MOST_LINES) {
    const some = await lines(first, MOST_LINES);
    const at = some.findIndex((line) => line.key === key);
    if (at >= 0) return { at: first + at, count: some[at]?.count ?? 0 };
    if (some.length < MOST_LINES) return undefined;
  }
  return undefined;
}

/** Undefined for a process that has ended, or works by now. */
async function heapOf(vm: Source, process: string, token: Cancellation) {
  try {
    return await vm.heap(process, token);
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof HelperError)) throw error;
    if (error.problem !== "refused" || isEndOfVm(error)) throw error;
    return undefined;
  }
}
