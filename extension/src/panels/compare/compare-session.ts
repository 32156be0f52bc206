// One panel of a comparison: has it computed, one at a time. Knows no editor.

import type { FlameData } from "../../../../contract/flame-data.js";
import {
  DEFAULT_SHAPE,
  LONGEST_CONDITION,
  MEASURES,
  MOST_CONDITIONS,
  type Comparands,
  type CompareProblem,
  type ComparedCaptures,
  type GraphShape,
  type ToHost,
  type ToWebview,
} from "../../../../contract/messages/compare.js";
import { plainText } from "../../../../contract/plain-text.js";
import { LatestAnswer } from "../page/latest-answer.js";

/** A restored page sends back the remarks that it received. */
const MOST_REMARKS = 20;
const LONGEST_REMARK = 500;

export interface CompareSessionHost {
  /** @param signal aborted: no caller waits for it any longer */
  compared(comparands: Comparands, signal: AbortSignal): Promise<ComparedCaptures | CompareProblem>;
  /** Remembers the conditions that its comparisons judge. */
  keepConditions(conditions: readonly string[], comparands: Comparands): Promise<void>;
  /** The graph of the last comparison; null without one. */
  graph(shape: GraphShape): FlameData | null;
  /** Why it failed, in words. */
  problem(error: unknown): CompareProblem;
  post(message: ToWebview): void;
}

export class CompareSession {
  readonly #host: CompareSessionHost;
  #comparands: Comparands | null = null;
  #ready = false;
  /** Those of the comparison that the page has. */
  #shown: Comparands | null = null;
  readonly #latest = new LatestAnswer<ToWebview>();

  constructor(host: CompareSessionHost) {
    this.#host = host;
  }

  get comparands(): Comparands | null {
    return this.#comparands;
  }

  /** Other captures, or the same once more. Done when the page has the answer, or never is to have it. */
  async show(comparands: Comparands): Promise<void> {
    this.#comparands = comparands;
    await this.#compare();
  }

  async receive(message: ToHost): Promise<void> {
    const comparands = this.#comparands;
    switch (message.type) {
      case "ready":
        this.#ready = true;
        // A command takes precedence over the comparison that was shown before.
        if (comparands === null) this.#comparands = savedComparands(message.saved.comparands);
        if (this.#comparands === null) return this.#host.post({ type: "nothingChosen" });
        if (this.#latest.last !== null) return this.#host.post(this.#latest.last);
        if (this.#latest.isRunning) return this.#host.post({ type: "busy" });
        return this.#compare();
      case "cancel":
        return this.#latest.cancel();
      case "again":
        return this.#compare();
      case "anyway":
        if (comparands === null) return;
        return this.show({ ...comparands, anyway: true });
      case "measure":
        if (comparands === null || !MEASURES.includes(message.measure)) return;
        return this.show({ ...comparands, measure: message.measure });
      case "failIf":
        if (comparands === null || !Array.isArray(message.conditions)) return;
        try {
          await this.#host.keepConditions(readConditions(message.conditions), comparands);
        } catch (error) {
          return this.#post(this.#host.problem(error));
        }
        return this.#compare();
      case "swap":
        if (comparands === null) return;
        return this.show({ ...comparands, base: comparands.new, new: comparands.base });
      case "graph": {
        const shape = readShape(message.shape);
        const data = this.#host.graph(shape);
        if (data !== null) this.#post({ type: "graph", data, shape });
        return;
      }
    }
  }

  dispose(): void {
    this.#ready = false;
    this.#latest.dispose();
  }

  async #compare(): Promise<void> {
    const comparands = this.#comparands;
    if (comparands === null) return;
    const answer = await this.#latest.ask(
      ({ signal }) => {
        this.#post({ type: "busy" });
        return this.#host.compared(comparands, signal);
      },
      (error, isCancelled, before) => {
        if (!isCancelled) return this.#host.problem(error);
        if (before?.type !== "compared" || this.#shown === null) return { type: "cancelled" };
        this.#comparands = this.#shown;
        return before;
      },
    );
    if (answer === null) return;
    if (answer.type === "compared") this.#shown = this.#comparands;
    this.#post(answer);
  }

  #post(message: ToWebview): void {
    if (this.#ready) this.#host.post(message);
  }
}

/** What a page of this version or another had kept; null when it makes no sense. */
function savedComparands(saved: unknown): Comparands | null {
  if (typeof saved !== "object" || saved === null) return null;
  const { base, new: newer, measure, anyway, remarks } = saved as Partial<Record<keyof Comparands, unknown>>;
  if (!isTexts(base) || !isTexts(newer)) return null;
  return {
    base,
    new: newer,
    measure: MEASURES.find((known) => known === measure) ?? null,
    ...(anyway === true ? { anyway } : {}),
    ...(isTexts(remarks)
      ? { remarks: remarks.slice(0, MOST_REMARKS).map((remark) => plainText(remark, LONGEST_REMARK)) }
      : {}),
  };
}

/** Each once, as it was typed; without those that were emptied. */
function readConditions(requested: readonly unknown[]): string[] {
  const conditions = requested.filter((one) => typeof one === "string").map((one) => plainText(one, LONGEST_CONDITION));
  return [...new Set(conditions)].filter((one) => one !== "").slice(0, MOST_CONDITIONS);
}

function readShape(requested: unknown): GraphShape {
  const from: Partial<Record<keyof GraphShape, unknown>> =
    typeof requested === "object" && requested !== null ? requested : {};
  const on = (name: keyof GraphShape) => (typeof from[name] === "boolean" ? from[name] : DEFAULT_SHAPE[name]);
  return {
    inverted: on("inverted"),
    hideNative: on("hideNative"),
    hideKernel: on("hideKernel"),
    collapseRecursion: on("collapseRecursion"),
    vanished: on("vanished"),
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string");
}
