import type { FrameKindName } from "../../../../contract/capture-answers.js";
import { FRAME_KINDS } from "../../../../contract/flame-data.js";
import { noSuch } from "../capture-error.js";
import { GrowingNumbers, type NumbersParts } from "../columns/growing-numbers.js";
import { IdMap, type IdMapParts } from "../columns/id-map.js";
import { PairTable, type PairTableParts } from "../columns/pair-table.js";
import type { FunctionFacts } from "../questions.js";
import { isOwnerMarker } from "./owner-marker.js";

/** Position of each kind in `FRAME_KINDS`. */
export const KIND = Object.fromEntries(FRAME_KINDS.map((name, index) => [name, index])) as Record<
  FrameKindName,
  number
>;

const KERNEL_OBJECTS = /^\[(?:kernel|guest\.kernel|vmlinux|vdso\.kernel)[^\]]*\]|\.ko(?:\.(?:gz|xz|zst))?$/;

/** Kinds of functions that can own samples: see `FunctionTable.roles`. */
export const SOURCE = 1;
export const BUILT_IN = 2;
export const OWNER = 4;

export interface FunctionTableParts {
  readonly facts: FunctionFacts[];
  readonly kinds: NumbersParts;
  readonly roles: NumbersParts;
  readonly ids: IdMapParts;
  readonly frames: PairTableParts;
  readonly newestFrame: NumbersParts;
  readonly olderFrame: NumbersParts;
  readonly located: NumbersParts;
  readonly erlang: Map<string, number>;
}

/** The functions of a capture and their lines. A frame is a function with a line. */
export class FunctionTable {
  readonly facts: FunctionFacts[];
  readonly kinds: GrowingNumbers;
  /**
   * `SOURCE`: has source a user reads. In our captures that is Erlang, in foreign ones everything with a file.
   * `BUILT_IN`: a BIF, which owns samples only where all functions are listed together.
   * `OWNER`: stands in the place of an Erlang function that the task of a port, or a destructor, does not have.
   */
  readonly roles: GrowingNumbers;
  readonly ids: IdMap;
  /** Frames: function and line. */
  readonly frames: PairTable;
  /** For each function its newest frame + 1, and for each frame the next older one of its function + 1. */
  readonly #newestFrame: GrowingNumbers;
  readonly #olderFrame: GrowingNumbers;
  readonly #located: GrowingNumbers;
  /** The first Erlang function of each name. */
  readonly #erlang: Map<string, number>;
  #changed: { index: number; facts: FunctionFacts; kind: number; role: number; located: number }[] = [];

  constructor(parts?: FunctionTableParts) {
    this.facts = parts?.facts ?? [];
    this.kinds = new GrowingNumbers(parts?.kinds);
    this.roles = new GrowingNumbers(parts?.roles);
    this.ids = new IdMap(parts?.ids);
    this.frames = new PairTable(parts?.frames);
    this.#newestFrame = new GrowingNumbers(parts?.newestFrame);
    this.#olderFrame = new GrowingNumbers(parts?.olderFrame);
    this.#located = new GrowingNumbers(parts?.located);
    this.#erlang = parts?.erlang ?? new Map<string, number>();
  }

  parts(): FunctionTableParts {
    const { facts, kinds, roles } = this;
    const frames = this.frames.parts();
    return {
      facts,
      kinds,
      roles,
      ids: this.ids.parts(),
      frames,
      newestFrame: this.#newestFrame,
      olderFrame: this.#olderFrame,
      located: this.#located,
      erlang: this.#erlang,
    };
  }

  get count(): number {
    return this.facts.length;
  }

  /** The function of an id of the file. */
  withId(id: number): number {
    const index = this.ids.get(id);
    if (index < 0) throw noSuch("function", id);
    return index;
  }

  /**
   * Adds a function; its index. The helper finds the file and head of an Erlang function by the line being run, and some instructions have none:
   * such a function without a file is the same as the one of its name that has one.
   */
  add(facts: FunctionFacts, isOwn: boolean): number {
    const twin = isOwn && facts.kind === "erlang" ? this.#erlang.get(facts.rawName) : undefined;
    if (twin !== undefined) {
      const known = this.facts[twin] as FunctionFacts;
      if (isWithoutPlace(facts)) return twin;
      if (isWithoutPlace(known)) {
        this.#remember(twin);
        this.facts[twin] = { ...known, file: facts.file, headLine: facts.headLine };
        return twin;
      }
    } else if (isOwn && facts.kind === "erlang") {
      this.#erlang.set(facts.rawName, this.count);
    }
    const index = this.facts.push(facts) - 1;
    this.kinds.push(KIND[facts.kind]);
    this.roles.push(roleOf(facts, isOwn));
    this.#newestFrame.push(0);
    this.#located.push(0);
    return index;
  }

  /** Code of the function was found in this object. The first location decides, as no stack can have the function before. */
  located(index: number, object: string, isOwn: boolean): void {
    const facts = this.facts[index] as FunctionFacts;
    const isFirst = this.#located.at(index) === 0;
    if (!isFirst && (facts.object !== "" || object === "")) return;
    this.#remember(index);
    this.#located.data[index] = 1;
    const kind = isFirst && !isOwn && facts.kind === "native" && KERNEL_OBJECTS.test(object) ? "kernel" : facts.kind;
    const changed = { ...facts, object: facts.object === "" ? object : facts.object, kind };
    this.facts[index] = changed;
    this.kinds.data[index] = KIND[kind];
    this.roles.data[index] = roleOf(changed, isOwn);
  }

  /** Where a function is that was without a place so far. */
  placed(index: number, { file, headLine }: Pick<FunctionFacts, "file" | "headLine">): void {
    const known = this.facts[index] as FunctionFacts;
    if (!isWithoutPlace(known) || isWithoutPlace({ ...known, file, headLine })) return;
    this.#remember(index);
    this.facts[index] = { ...known, file, headLine };
  }

  /** For `rollBack`. */
  #remember(index: number): void {
    this.#changed.push({
      index,
      facts: this.facts[index] as FunctionFacts,
      kind: this.kinds.at(index),
      role: this.roles.at(index),
      located: this.#located.at(index),
    });
  }

  /** The frame of a line of a function. */
  frame(functionIndex: number, line: number): number {
    const known = this.frames.size;
    const frame = this.frames.add(functionIndex, line);
    if (frame === known) {
      this.#olderFrame.push(this.#newestFrame.at(functionIndex));
      this.#newestFrame.data[functionIndex] = frame + 1;
    }
    return frame;
  }

  /** All frames of a function. */
  *framesOf(functionIndex: number): Generator<number> {
    if (functionIndex < 0 || functionIndex >= this.count) return;
    for (let frame = this.#newestFrame.at(functionIndex); frame !== 0; frame = this.#olderFrame.at(frame - 1))
      yield frame - 1;
  }

  mark(): { functions: number; ids: number; frames: number } {
    this.#changed = [];
    return { functions: this.count, ids: this.ids.size, frames: this.frames.size };
  }

  rollBack(mark: { functions: number; ids: number; frames: number }): void {
    for (const { index, facts, kind, role, located } of this.#changed.reverse()) {
      this.facts[index] = facts;
      this.kinds.data[index] = kind;
      this.roles.data[index] = role;
      this.#located.data[index] = located;
    }
    this.#changed = [];
    for (let frame = this.frames.size - 1; frame >= mark.frames; frame--) {
      this.#newestFrame.data[this.frames.first.at(frame)] = this.#olderFrame.at(frame);
    }
    this.frames.cutTo(mark.frames);
    this.#olderFrame.cutTo(mark.frames);
    for (const { rawName } of this.facts.splice(mark.functions))
      if ((this.#erlang.get(rawName) ?? -1) >= mark.functions) this.#erlang.delete(rawName);
    for (const column of [this.kinds, this.roles, this.#newestFrame, this.#located]) column.cutTo(mark.functions);
    this.ids.cutTo(mark.ids);
  }
}

function isWithoutPlace({ file, headLine }: FunctionFacts): boolean {
  return file === "" && headLine === 0;
}

function roleOf(facts: FunctionFacts, isOwn: boolean): number {
  if (facts.kind === "erlang" || (!isOwn && facts.file !== "")) return SOURCE;
  if (isOwnerMarker(facts)) return OWNER;
  return facts.kind === "bif" ? BUILT_IN : 0;
}
