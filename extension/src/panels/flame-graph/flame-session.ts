// The queries of one flame graph on screen to its capture, and their times. Knows no editor: its surroundings are
// passed in.

import type { FlameOptions, SampleFilter } from "../../../../contract/capture-answers.js";
import type { FlameData, GroupBy } from "../../../../contract/flame-data.js";
import {
  DEFAULT_OPTIONS,
  restricts,
  type BuiltWith,
  type ToHost,
  type ToWebview,
} from "../../../../contract/messages/flame-graph.js";
import type { Capture } from "../../capture/questions.js";
import { CaptureSession, type CaptureSessionHost } from "../capture-panel/capture-session.js";
import { busyOnly } from "../capture-panel/busy-only.js";
import { noSamplesText, type CaptureTexts, type ShownCapture } from "../capture-panel/shown-capture.js";
import { facetLists, matching } from "./facet-lists.js";
import { heaviestPath } from "./heaviest-path.js";
import { readFilter, readOptions } from "./shown-filter.js";

const TIMELINE_BUCKETS = 240;
/** Long collections and calls that the time strip marks: the longest. */
const MOST_STAYS = 200;

export interface FlameTexts extends CaptureTexts {
  readonly noMatch: string;
  notShown(functionName: string): string;
  /** What a group is called, by its label in the capture; `''` is none. */
  groupName(groupBy: GroupBy, value: string): string;
}

export interface FlameSessionHost extends CaptureSessionHost<ToWebview> {
  readonly texts: FlameTexts;
  /** Shown beside the graph, which stays. */
  notice(text: string): void;
  debug(text: string): void;
}

export class FlameSession extends CaptureSession<ToHost, ToWebview, FlameSessionHost> {
  #options: FlameOptions = DEFAULT_OPTIONS;
  #filter: SampleFilter = {};
  #revision = 0;
  #sandwichOf: string | null = null;
  #toReveal: string | null = null;
  /** Requested since the last graph: a page that opens brings a filter of its own first. */
  #onlyProcess: string | null = null;

  override receive(message: ToHost): void {
    switch (message.type) {
      case "ready":
        // A page that comes back (moved, or hidden and shown) begins anew, and brings its former state.
        this.#revision = 0;
        this.#sandwichOf = null;
        this.#options = readOptions(message.options);
        this.#filter = readFilter(message.filter);
        // After a restart the capture may still be opening; a filter made for another one goes when it is built.
        this.uri = typeof message.uri === "string" ? message.uri : "";
        return this.pageReady();
      case "view":
        this.#options = readOptions(message.options);
        this.#filter = readFilter(message.filter);
        this.#revision = Number(message.revision) || 0;
        return this.schedule.now();
      case "findProcesses": {
        const shown = this.host.current();
        if (shown)
          this.host.post({
            type: "processes",
            query: message.query,
            found: matching(shown.capture.facets().processes, message.query),
          });
        return;
      }
      case "selected":
        return this.select(this.host.current()?.capture.functionNamed(message.functionName) ?? -1);
      case "graphToExport":
        return this.#sendToExport(message);
      case "requestSandwich":
        this.#sandwichOf = message.functionName;
        return this.schedule.now();
      case "closeSandwich":
        this.#sandwichOf = null;
        // The whole graph was not kept up to date during the sandwich view.
        return this.schedule.now();
    }
  }

  override captureChanged(): void {
    this.#sandwichOf = null;
    super.captureChanged();
  }

  /** Shows where a function is heaviest, as soon as there is a graph. */
  reveal(functionName: string): void {
    this.#toReveal = functionName;
    this.#sandwichOf = null;
    this.schedule.now();
  }

  /** Shows the samples of the processes of this name and no others. */
  showProcess(name: string): void {
    this.#onlyProcess = name;
    this.#sandwichOf = null;
    this.schedule.now();
  }

  /** Processes and times of one capture mean nothing in another. */
  protected override forgetCapture(): void {
    this.#filter = {};
  }

  protected override build(shown: ShownCapture): void {
    const startedMs = this.host.nowMs();
    this.#send(shown);
    const costMs = this.host.nowMs() - startedMs;
    this.host.debug(
      `flame graph of ${shown.title}: built in ${costMs.toFixed(1)} ms (${shown.capture.totals.samples} samples)`,
    );
  }

  #send(shown: ShownCapture): void {
    const { post, texts } = this.host;
    const { capture, live } = shown;
    if (this.#onlyProcess !== null) this.#filter = { processes: [this.#onlyProcess] };
    this.#onlyProcess = null;
    const timeline = capture.timeline(TIMELINE_BUCKETS);
    const vms = capture.facts.nodes?.map(({ name }) => name);
    const [tracks, gaps] = [capture.tracks(timeline), capture.timeGaps(timeline)];
    const stays = capture.stays(MOST_STAYS);
    post({
      type: "facets",
      facets: facetLists(capture.facets()),
      timeline,
      tracks,
      ...(vms === undefined ? {} : { vms }),
      gaps,
      ...(stays.length === 0 ? {} : { stays }),
      ...totalsOf(shown),
      live,
    });
    if (this.#sandwichOf !== null && this.#buildSandwich(shown, this.#sandwichOf)) return;
    const toReveal = this.#toReveal;
    const revealed = toReveal === null ? null : this.#graphWith(capture, toReveal);
    const data = revealed?.data ?? this.#graph(capture, this.#options, this.#filter);
    if (data.totalSamples === 0)
      return restricts(this.#filter)
        ? this.#sayNoMatch()
        : post({ type: "empty", text: noSamplesText(capture, texts), actions: [] });
    const { title, uri, minimumSamples } = shown;
    post({
      type: "data",
      data,
      builtWith: this.#builtWith(),
      title,
      live,
      isCut: capture.facts.isCut === true,
      unit: capture.facts.unit,
      ...totalsOf(shown),
      minimumSamples,
      uri,
    });
    if (revealed === null || toReveal === null) return;
    post({ type: "reveal", path: revealed.path });
    this.select(capture.functionNamed(toReveal));
  }

  protected override mark(functionIndex: number, { capture }: ShownCapture): void {
    const functionName = capture.functions[functionIndex]?.name;
    if (functionName !== undefined) this.host.post({ type: "mark", functionName });
  }

  #graph(capture: Capture, options: FlameOptions, filter: SampleFilter): FlameData {
    const nameOf = (value: string) => this.host.texts.groupName(options.groupBy, value);
    return this.#coloured(capture.flame(options, this.#counted(capture, filter), nameOf));
  }

  /** A filter that leaves out idle samples where shares are of the others, unless classes were chosen. */
  #counted(capture: Capture, filter: SampleFilter): SampleFilter {
    const shown = this.host.current();
    if (shown === undefined || !isOfBusy(shown) || (filter.classes?.length ?? 0) > 0) return filter;
    return { ...filter, ...busyOnly(capture) };
  }

  /** Own code stands out where the views show own time. */
  #coloured(data: FlameData): FlameData {
    return this.host.current()?.attribution === "own"
      ? data
      : { ...data, functionIsOwn: new Uint8Array(data.functionIsOwn.length) };
  }

  /** False when the whole graph is to be shown after all. */
  #buildSandwich(shown: ShownCapture, functionName: string): boolean {
    const { capture } = shown;
    const filter = this.#counted(capture, this.#filter);
    const index = capture.functionNamed(functionName);
    const sandwich = index < 0 ? null : capture.sandwich(index, this.#options, filter);
    if (sandwich) {
      const filteredSamples = capture.filteredTotals(filter).samples;
      const { callers, callees } = sandwich;
      this.host.post({
        type: "sandwich",
        functionName,
        callers: this.#coloured(callers),
        callees: this.#coloured(callees),
        builtWith: this.#builtWith(),
        filteredSamples,
        ...totalsOf(shown),
      });
      return true;
    }
    if (index >= 0 && restricts(this.#filter)) {
      this.#sayNoMatch();
      return true;
    }
    this.#sandwichOf = null;
    this.host.notice(this.host.texts.notShown(functionName));
    return false;
  }

  #sendToExport({ format, part, collapseRecursion }: Extract<ToHost, { type: "graphToExport" }>): void {
    const capture = this.host.current()?.capture;
    if (!capture) return;
    const options = { ...this.#options, collapseRecursion };
    if (part === "whole")
      return this.host.post({ type: "toExport", format, part, data: this.#graph(capture, options, this.#filter) });
    const sandwich =
      this.#sandwichOf === null
        ? null
        : capture.sandwich(capture.functionNamed(this.#sandwichOf), options, this.#filter);
    if (sandwich) this.host.post({ type: "toExport", format, part, data: this.#coloured(sandwich[part]) });
  }

  /** Takes back the filter and options that hide the function. */
  #graphWith(
    capture: Capture,
    functionName: string,
  ): { readonly data: FlameData; readonly path: readonly string[] } | null {
    this.#toReveal = null;
    const attempts: readonly [FlameOptions, SampleFilter][] = [
      [this.#options, this.#filter],
      [this.#options, {}],
      [{ ...this.#options, hideNative: false, hideKernel: false }, {}],
    ];
    for (const [options, filter] of attempts) {
      const data = this.#graph(capture, options, filter);
      const path = heaviestPath(data, functionName);
      if (path === null) continue;
      this.#options = options;
      this.#filter = filter;
      return { data, path };
    }
    this.host.notice(this.host.texts.notShown(functionName));
    return null;
  }

  #sayNoMatch(): void {
    this.host.post({ type: "empty", text: this.host.texts.noMatch, actions: [], filtered: this.#builtWith() });
  }

  #builtWith(): BuiltWith {
    return { options: this.#options, filter: this.#filter, revision: this.#revision };
  }
}

/** Whether idle samples are left out; a VM that did nothing else is shown as it was. */
function isOfBusy({ capture, percentOf }: ShownCapture): boolean {
  return percentOf === "busy" && capture.totals.busy > 0;
}

function totalsOf(shown: ShownCapture): { readonly allSamples: number; readonly busySamples?: number } {
  const { samples: allSamples, busy: busySamples } = shown.capture.totals;
  return isOfBusy(shown) ? { allSamples, busySamples } : { allSamples };
}
