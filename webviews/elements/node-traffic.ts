// The work of the node at the top of a page, and the work that waits: collections, work, ports and connections.

import { plainText } from "../../contract/plain-text.js";
import type { NodeConnection, NodeCounters, NodeResult, PortQueues } from "../../contract/protocol.generated.js";
import { count, memorySize } from "../words/figures.js";
import { NODE_WORDS } from "../words/node-words.js";
import { programsText } from "../words/programs-text.js";
import { nameText } from "./dom.js";
import { marked, nodeFigure } from "./node-figure.js";

/** So many ports or nodes are listed where the pointer rests. */
const MOST_NAMED = 5;
const WORD_BYTES = 8;

/** Counters of a node, and their time. */
export interface CountedAt {
  readonly ms: number;
  readonly counters: NodeCounters;
}

/** @param before an earlier snapshot of the same VM */
export function rateFigures(before: CountedAt | undefined, now: CountedAt): HTMLElement[] {
  const seconds = before === undefined ? 0 : (now.ms - before.ms) / 1000;
  if (before === undefined || seconds <= 0) return [];
  const rate = (of: keyof NodeCounters) => eachSecond(before.counters[of], now.counters[of], seconds);
  const [collections, words, reductions, switches, input, output] = [
    rate("collections"),
    rate("reclaimedWords"),
    rate("reductions"),
    rate("contextSwitches"),
    rate("ioInBytes"),
    rate("ioOutBytes"),
  ];
  return [
    ...(collections === null
      ? []
      : [
          nodeFigure(
            NODE_WORDS.collections,
            NODE_WORDS.collectionsHelp(words === null ? "?" : memorySize(words * WORD_BYTES)),
            NODE_WORDS.eachSecond(count(collections)),
          ),
        ]),
    ...(reductions === null
      ? []
      : [
          nodeFigure(
            NODE_WORDS.reductions,
            NODE_WORDS.reductionsHelp(switches === null ? "?" : count(switches)),
            NODE_WORDS.eachSecond(count(reductions)),
          ),
        ]),
    ...(input === null || output === null
      ? []
      : [nodeFigure(NODE_WORDS.io, NODE_WORDS.ioHelp, NODE_WORDS.inAndOut(memorySize(input), memorySize(output)))]),
  ];
}

/** Counters that went back are of another run. */
function eachSecond(before: number | null, now: number | null, seconds: number): number | null {
  return before === null || now === null || now < before ? null : Math.round((now - before) / seconds);
}

/** The known figures of memory and of the outer world. */
export function waitingFigures({
  memoryBytes,
  rssBytes,
  portQueues,
  connections,
  children,
}: NodeResult): HTMLElement[] {
  // An older helper has none.
  const programs = programsText((children as NodeResult["children"] | undefined) ?? null);
  return [
    ...(memoryBytes === null
      ? []
      : [
          nodeFigure(
            NODE_WORDS.memory,
            rssBytes === null ? NODE_WORDS.memoryHelp : NODE_WORDS.memoryAndRss(memorySize(rssBytes)),
            memorySize(memoryBytes),
          ),
        ]),
    ...(portQueues === null ? [] : [ports(portQueues)]),
    ...(programs === undefined ? [] : [nodeFigure(NODE_WORDS.programs, programs.help, programs.value)]),
    ...(connections === null || connections.length === 0 ? [] : [nodes(connections)]),
  ];
}

function ports({ ports: waiting, bytes, longest, rejected }: PortQueues): HTMLElement {
  const lines = longest
    .slice(0, MOST_NAMED)
    .map((port) =>
      NODE_WORDS.portQueue(plainText(port.port), plainText(port.name), port.owner ?? "?", memorySize(port.queueBytes)),
    );
  const help = [
    NODE_WORDS.portQueuesHelp,
    ...lines,
    ...(rejected === 0 ? [] : [NODE_WORDS.portsRejected(count(rejected))]),
  ].join("\n");
  const busy = longest.filter((port) => port.busy);
  const owners = busy.slice(0, MOST_NAMED).flatMap(({ owner }) => (owner === null ? [] : [nameText(owner)]));
  return nodeFigure(
    NODE_WORDS.portQueues,
    help,
    waiting === 0 ? memorySize(bytes) : NODE_WORDS.inPorts(memorySize(bytes), waiting, count(waiting)),
    ...(busy.length === 0
      ? []
      : [marked(NODE_WORDS.busyPorts(busy.length, count(busy.length)), ...owners.flatMap((owner) => [" ", owner]))]),
  );
}

function nodes(connections: readonly NodeConnection[]): HTMLElement {
  const longestFirst = connections.toSorted((one, other) => (other.queueBytes ?? 0) - (one.queueBytes ?? 0));
  const lines = longestFirst
    .slice(0, MOST_NAMED)
    .map(({ node, queueBytes }) =>
      NODE_WORDS.nodeQueue(plainText(node), queueBytes === null ? "?" : memorySize(queueBytes)),
    );
  const busy = longestFirst.filter((node) => node.busy === true);
  return nodeFigure(
    NODE_WORDS.connections,
    [NODE_WORDS.connectionsHelp, ...lines].join("\n"),
    count(connections.length),
    ...(busy.length === 0
      ? []
      : [
          marked(
            NODE_WORDS.busyNodes(busy.length, count(busy.length)),
            ...busy.slice(0, MOST_NAMED).flatMap(({ node }) => [" ", nameText(plainText(node))]),
          ),
        ]),
  );
}
