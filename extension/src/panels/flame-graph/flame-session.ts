// What one flame graph on screen asks of its capture, and when. Knows no editor: its surroundings are handed in.

import type { FlameData } from "../../capture/flame-data.js";
import type { Capture, FlameOptions, SampleFilter } from "../../capture/questions.js";
import { NO_OPTIONS, type BuiltWith, type ToHost, type ToWebview } from "../../../../webviews/flame-graph/messages.js";
import { facetLists, matching } from "./facet-lists.js";
import { heaviestPath } from "./heaviest-path.js";
import { RefreshPace } from "../refresh-pace.js";
import { readFilter, readOptions, restricts } from "./shown-filter.js";

const TIMELINE_BUCKETS = 240;
const KEPT_PAGE_MS = 500;

export interface ShownCapture {
  readonly capture: Capture;
  readonly title: string;
  readonly live: boolean;
  readonly uri: string;
}

/** What readers see when there is no graph. */
export interface SessionTexts {
  readonly noCapture: string;
  readonly noSamples: string;
  readonly noSamplesYet: string;
  readonly noMatch: string;
  notShown(functionName: string): string;
  failed(reason: string): string;
}

export interface SessionSurroundings {
  readonly texts: SessionTexts;
  current(): ShownCapture | undefined;
  post(message: ToWebview): void;
  /** Told to the reader beside the graph, which stays. */
  notice(text: string): void;
  debug(text: string): void;
  nowMs(): number;
  /** Calls back once; the answer forgets it. */
  later(ms: number, call: () => void): () => void;
}

export class FlameSession {
  readonly #around: SessionSurroundings;
  readonly #pace = new RefreshPace();
  #options: FlameOptions = NO_OPTIONS;
  #filter: SampleFilter = {};
  #revision = 0;
  #uri = "";
  #sandwichOf: string | null = null;
  #toReveal: string | null = null;
  #ready = false;
  #visible = true;
  /** Something changed since the last build. */
  #stale = true;
  #forgetTimer: (() => void) | null = null;

  constructor(around: SessionSurroundings) {
    this.#around = around;
  }

  /** Messages about what to build; the others are none of its business. */
  receive(message: ToHost): void {
    switch (message.type) {
      case "ready":
        // A page that comes back (moved, or hidden and shown) begins anew, and brings what it had.
        this.#ready = true;
        this.#revision = 0;
        this.#sandwichOf = null;
        this.#options = readOptions(message.options);
        this.#filter = readFilter(message.filter);
        // After a restart the capture may still be opening; a filter made for another one goes when it is built.
        this.#uri = typeof message.uri === "string" ? message.uri : "";
        return this.#buildNow();
      case "view":
        this.#options = readOptions(message.options);
        this.#filter = readFilter(message.filter);
        this.#revision = Number(message.revision) || 0;
        return this.#buildNow();
      case "findProcesses": {
        const shown = this.#around.current();
        if (shown) this.#around.post({ type: "processes", query: message.query, found: matching(shown.capture.facets().processes, message.query) });
        return;
      }
      case "requestSandwich":
        this.#sandwichOf = message.functionName;
        return this.#buildNow();
      case "closeSandwich":
        this.#sandwichOf = null;
        // The whole graph was not kept up to date meanwhile.
        return this.#buildNow();
    }
  }

  /** Hidden pages lose messages: nothing is built for them. */
  setVisible(visible: boolean): void {
    if (this.#visible === visible) return;
    this.#visible = visible;
    // The page was most likely thrown away while hidden: it comes back with `ready`. Only one that was kept waits in vain.
    if (visible && this.#stale) this.#buildIn(KEPT_PAGE_MS);
  }

  /** Another capture is in view, or none. */
  captureChanged(): void {
    this.#sandwichOf = null;
    this.#stale = true;
    this.#buildNow();
  }

  /** The capture grew or ended. */
  captureUpdated(): void {
    this.#stale = true;
    if (!this.#canShow() || this.#forgetTimer) return;
    const waitMs = this.#pace.waitMs(this.#around.nowMs());
    if (waitMs === 0) this.#build();
    else this.#buildIn(waitMs);
  }

  /** Shows where a function is heaviest, as soon as there is a graph. */
  reveal(functionName: string): void {
    this.#toReveal = functionName;
    this.#sandwichOf = null;
    this.#stale = true;
    this.#buildNow();
  }

  dispose(): void {
    this.#forgetTimer?.();
    this.#forgetTimer = null;
    this.#ready = false;
  }

  #canShow(): boolean {
    return this.#ready && this.#visible;
  }

  #buildIn(ms: number): void {
    if (this.#forgetTimer) return;
    this.#forgetTimer = this.#around.later(ms, () => {
      this.#forgetTimer = null;
      if (this.#canShow() && this.#stale) this.#build();
    });
  }

  #buildNow(): void {
    this.#stale = true;
    if (!this.#canShow()) return;
    this.#forgetTimer?.();
    this.#forgetTimer = null;
    this.#build();
  }

  #build(): void {
    const { post, texts } = this.#around;
    const shown = this.#around.current();
    this.#stale = false;
    if (shown) {
      // Processes and times of one capture mean nothing in another.
      if (shown.uri !== this.#uri && this.#uri !== "") this.#filter = {};
      this.#uri = shown.uri;
    }
    if (!shown) return post({ type: "empty", text: texts.noCapture });
    const startedMs = this.#around.nowMs();
    try {
      this.#buildOf(shown);
    } catch (error) {
      post({ type: "empty", text: texts.failed(error instanceof Error ? error.message : String(error)) });
    }
    const costMs = this.#around.nowMs() - startedMs;
    this.#pace.built(startedMs, costMs);
    this.#around.debug(`flame graph of ${shown.title}: built in ${costMs.toFixed(1)} ms (${shown.capture.totals.samples} samples)`);
  }

  #buildOf(shown: ShownCapture): void {
    const { post, texts } = this.#around;
    const { capture, live } = shown;
    if (capture.totals.samples === 0) return post({ type: "empty", text: live ? texts.noSamplesYet : texts.noSamples });
    post({ type: "facets", facets: facetLists(capture.facets()), timeline: capture.timeline(TIMELINE_BUCKETS), allSamples: capture.totals.samples, live });
    if (this.#sandwichOf !== null && this.#buildSandwich(capture, this.#sandwichOf)) return;
    const revealed = this.#toReveal === null ? null : this.#graphWith(capture, this.#toReveal);
    const data = revealed?.data ?? capture.flame(this.#options, this.#filter);
    if (data.totalSamples === 0) {
      const text = restricts(this.#filter) ? texts.noMatch : texts.noSamples;
      return post(restricts(this.#filter) ? { type: "empty", text, filtered: this.#builtWith() } : { type: "empty", text });
    }
    const { title, uri } = shown;
    post({ type: "data", data, builtWith: this.#builtWith(), title, live, unit: capture.facts.unit, allSamples: capture.totals.samples, uri });
    if (revealed) post({ type: "reveal", path: revealed.path });
  }

  /** False when the whole graph is to be shown after all. */
  #buildSandwich(capture: Capture, functionName: string): boolean {
    const index = capture.functionNamed(functionName);
    const sandwich = index < 0 ? null : capture.sandwich(index, this.#options, this.#filter);
    if (sandwich) {
      const filteredSamples = capture.filteredTotals(this.#filter).samples;
      this.#around.post({ type: "sandwich", functionName, ...sandwich, builtWith: this.#builtWith(), filteredSamples, allSamples: capture.totals.samples });
      return true;
    }
    if (index >= 0 && restricts(this.#filter)) {
      this.#around.post({ type: "empty", text: this.#around.texts.noMatch, filtered: this.#builtWith() });
      return true;
    }
    this.#sandwichOf = null;
    this.#around.notice(this.#around.texts.notShown(functionName));
    return false;
  }

  /** Takes back the filter and options that hide the function. */
  #graphWith(capture: Capture, functionName: string): { readonly data: FlameData; readonly path: readonly string[] } | null {
    this.#toReveal = null;
    const attempts: readonly [FlameOptions, SampleFilter][] = [
      [this.#options, this.#filter],
      [this.#options, {}],
      [{ ...this.#options, hideNative: false, hideKernel: false }, {}],
    ];
    for (const [options, filter] of attempts) {
      const data = capture.flame(options, filter);
      const path = heaviestPath(data, functionName);
      if (path === null) continue;
      this.#options = options;
      this.#filter = filter;
      return { data, path };
    }
    this.#around.notice(this.#around.texts.notShown(functionName));
    return null;
  }

  #builtWith(): BuiltWith {
    return { options: this.#options, filter: this.#filter, revision: this.#revision };
  }
}
