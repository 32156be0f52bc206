import type { Trust } from "../../../../contract/protocol.generated.js";
import { SAMPLE_CLASSES, isWork } from "../../../../contract/sample-classes.js";
import { tooMany } from "../capture-error.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { MAX_LABEL_SETS } from "../limits.generated.js";

export const NO_CLASS = SAMPLE_CLASSES.length;
/** By the number of a class: whether its samples are work. */
const WORKS = [...SAMPLE_CLASSES.map(isWork), true];

const TRUSTS = ["captured", "validated", "bracketed", "unproven", "no_process"] as const satisfies readonly Trust[];
const NO_TRUST = TRUSTS.length;
export const BRACKETED = TRUSTS.indexOf("bracketed");
const UNPROVEN = TRUSTS.indexOf("unproven");
const NO_PROCESS = TRUSTS.indexOf("no_process");

/** More VMs cannot be told apart on any screen. */
const MAX_NODES = 256;

const SCHEDULER = /^(?:dirty-(?:cpu|io) )?\d{1,10}$/;

/**
 * Separates the name of a process or scheduler from its node. Names of nodes are made not to contain it, so the text
 * before the last one is the name in the node's own file.
 */
export const NODE_SEPARATOR = " · ";

/** Whether samples of the class with this number are work. */
export const isWorkClass = (sampleClass: number): boolean => WORKS[sampleClass] ?? true;

/** The labels of a sample that queries use. */
export interface Labels {
  scheduler: string;
  process: string;
  class: string;
  trust: string;
}

export interface LabelSetsParts {
  readonly schedulers: string[];
  readonly processes: string[];
  readonly nodes: string[];
  readonly scheduler: NumbersParts;
  readonly process: NumbersParts;
  readonly class: NumbersParts;
  readonly trust: NumbersParts;
  readonly node: NumbersParts;
  readonly schedulerNumbers: Map<string, number>;
  readonly processNumbers: Map<string, number>;
  readonly sets: Map<string, number>;
}

/**
 * The different sets of labels. Queries do not use threads and pids, so samples that differ only in those have the same
 * set.
 */
export class LabelSets {
  /** Scheduler as written in the file, by number; `''` is none. */
  readonly schedulers: string[];
  readonly processes: string[];
  /** The VMs, when the capture is of several; empty when it is of one. */
  readonly nodes: string[];
  readonly scheduler: GrowingNumbers;
  readonly process: GrowingNumbers;
  /** Index into `SAMPLE_CLASSES`, or `NO_CLASS`. */
  readonly class: GrowingNumbers;
  readonly trust: GrowingNumbers;
  /** Index into `nodes`; 0 in a capture of one VM. */
  readonly node: GrowingNumbers;
  readonly #schedulerNumbers: Map<string, number>;
  readonly #processNumbers: Map<string, number>;
  readonly #sets: Map<string, number>;

  constructor(
    parts?: LabelSetsParts,
    readonly max = MAX_LABEL_SETS,
  ) {
    this.schedulers = parts?.schedulers ?? [];
    this.processes = parts?.processes ?? [];
    this.nodes = parts?.nodes ?? [];
    this.scheduler = new GrowingNumbers(parts?.scheduler ?? 64);
    this.process = new GrowingNumbers(parts?.process ?? 64);
    this.class = new GrowingNumbers(parts?.class ?? 64);
    this.trust = new GrowingNumbers(parts?.trust ?? 64);
    this.node = new GrowingNumbers(parts?.node ?? 64);
    this.#schedulerNumbers = parts?.schedulerNumbers ?? new Map<string, number>();
    this.#processNumbers = parts?.processNumbers ?? new Map<string, number>();
    this.#sets = parts?.sets ?? new Map<string, number>();
  }

  parts(): LabelSetsParts {
    const { schedulers, processes, nodes, scheduler, process, class: sampleClass, trust, node } = this;
    const numbers = {
      schedulerNumbers: this.#schedulerNumbers,
      processNumbers: this.#processNumbers,
      sets: this.#sets,
    };
    return { schedulers, processes, nodes, scheduler, process, class: sampleClass, trust, node, ...numbers };
  }

  get size(): number {
    return this.class.length;
  }

  add(labels: Labels): number {
    const scheduler = numberOf(
      SCHEDULER.test(labels.scheduler) ? labels.scheduler : "",
      this.schedulers,
      this.#schedulerNumbers,
    );
    const process = numberOf(labels.process, this.processes, this.#processNumbers);
    const sampleClass = positionOr(SAMPLE_CLASSES, labels.class, NO_CLASS);
    const trust = positionOr(TRUSTS, labels.trust, NO_TRUST);
    return this.#setOf(scheduler, process, sampleClass, trust, 0);
  }

  /** Another VM; its number. @param name one that none has so far, without `NODE_SEPARATOR` */
  addNode(name: string): number {
    if (this.nodes.length >= MAX_NODES) throw tooMany("nodes", MAX_NODES);
    return this.nodes.push(name) - 1;
  }

  /** The set that stands for one of another capture's. Schedulers and processes get the node's name: those of two nodes are never the same. */
  addOfNode(from: LabelSets, set: number, node: number): number {
    const name = this.nodes[node] as string;
    const ofNode = (value: string) => (value === "" ? "" : `${value}${NODE_SEPARATOR}${name}`);
    const scheduler = numberOf(
      ofNode(from.schedulers[from.scheduler.at(set)] as string),
      this.schedulers,
      this.#schedulerNumbers,
    );
    const process = numberOf(
      ofNode(from.processes[from.process.at(set)] as string),
      this.processes,
      this.#processNumbers,
    );
    return this.#setOf(scheduler, process, from.class.at(set), from.trust.at(set), node);
  }

  #setOf(scheduler: number, process: number, sampleClass: number, trust: number, node: number): number {
    const key =
      node === 0
        ? `${scheduler} ${process} ${sampleClass} ${trust}`
        : `${scheduler} ${process} ${sampleClass} ${trust} ${node}`;
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const set = this.size;
    if (set >= this.max) throw tooMany("different sets of labels", this.max);
    this.#sets.set(key, set);
    this.scheduler.push(scheduler);
    this.process.push(process);
    this.class.push(sampleClass);
    this.trust.push(trust);
    this.node.push(node);
    return set;
  }

  isBracketed(set: number): boolean {
    return this.trust.at(set) === BRACKETED;
  }

  /** The marker in place of the Erlang function of a sample that shows none. */
  marker(set: number): string {
    const trust = this.trust.at(set);
    if (trust === UNPROVEN) return "[unproven]";
    const sampleClass = SAMPLE_CLASSES[this.class.at(set)];
    if (sampleClass === "idle") return "[idle]";
    if (sampleClass === "busy_wait") return "[busy wait]";
    if (sampleClass === "port") return "[port]";
    if (sampleClass === "other_thread") return "[other thread]";
    // Schedulers collect for a process only when others ask for it: garbage_collect/1, purged code, replaced
    // persistent terms.
    if (trust === NO_PROCESS && sampleClass === "gc") return "[system task]";
    // Schedulers call destructors of resources, of types that are not known, and other callbacks of NIF libraries.
    if (trust === NO_PROCESS && sampleClass === "nif") return "[NIF in no process]";
    if (sampleClass === "scheduler" || trust === NO_PROCESS) return "[scheduler]";
    return trust === BRACKETED ? "[bracketed]" : "[no Erlang frame]";
  }

  mark(): { sets: number; schedulers: number; processes: number } {
    return { sets: this.size, schedulers: this.schedulers.length, processes: this.processes.length };
  }

  rollBack(mark: { sets: number; schedulers: number; processes: number }): void {
    forgetFrom(this.#sets, mark.sets);
    forgetFrom(this.#schedulerNumbers, mark.schedulers);
    forgetFrom(this.#processNumbers, mark.processes);
    this.schedulers.length = mark.schedulers;
    this.processes.length = mark.processes;
    for (const column of [this.scheduler, this.process, this.class, this.trust, this.node]) column.cutTo(mark.sets);
  }
}

function numberOf(value: string, values: string[], numbers: Map<string, number>): number {
  let number = numbers.get(value);
  if (number === undefined) {
    number = values.push(value) - 1;
    numbers.set(value, number);
  }
  return number;
}

function positionOr(names: readonly string[], name: string, otherwise: number): number {
  const position = names.indexOf(name);
  return position < 0 ? otherwise : position;
}

function forgetFrom(numbers: Map<string, number>, first: number): void {
  for (const [key, number] of numbers) if (number >= first) numbers.delete(key);
}
