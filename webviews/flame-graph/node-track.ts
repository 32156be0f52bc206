// The figures of VMs over time, above the heat: one track at a time, values by pointer and keys. Each VM has a line of
// its own; nothing is added up.

import { bounded } from "../../contract/bounded.js";
import { TRACK_NAMES, type Timeline, type TimelineTrack, type TrackName } from "../../contract/capture-answers.js";
import { clipped } from "../../contract/plain-text.js";
import { element } from "../elements/dom.js";
import { onPixelRatioChange } from "../elements/pixel-ratio.js";
import { singleSelect } from "../elements/single-select.js";
import { vmHues, type Palette } from "../graph/colour.js";
import { duration } from "../graph/graph-figures.js";
import { S } from "./strings.js";
import { clearedStrip } from "./strip-canvas.js";
import { TrackLegend } from "./track-legend.js";
import { mostOf, paintBars, paintLines, trackColour, type TrackLine } from "./track-lines.js";
import { bucketAfter, linesText, trackSummary, trackValue } from "./track-values.js";

const HEIGHT_PX = 28;
/** Lines need more room than bars to be distinct; the second choice beside them takes it anyway. */
const LINES_HEIGHT_PX = 56;
const LONGEST_NODE = 60;
const ALL_NODES = "";

export interface TrackChoice {
  readonly track: TrackName;
  /** Empty: all of them. */
  readonly trackNode: string;
}

export class NodeTrack {
  readonly canvas = element("canvas", {
    class: "time-canvas track-canvas",
    role: "slider",
    tabindex: "0",
    "aria-valuemin": "0",
  });
  private readonly shown = element("span", { class: "time-shown" });
  private readonly trackChoice = element("span");
  private readonly nodeChoice = element("span");
  private readonly legend = new TrackLegend();
  readonly element = element(
    "section",
    { class: "node-track", "aria-label": S.tracks, hidden: true },
    element(
      "div",
      { class: "time-strip" },
      element("span", { class: "track-choice" }, this.trackChoice, this.nodeChoice),
      this.canvas,
      this.shown,
    ),
    this.legend.element,
  );
  #timeline: Timeline | null = null;
  #tracks: readonly TimelineTrack[] = [];
  /** All VMs of a capture of several with their hues; empty in a capture of one. */
  #hues: ReadonlyMap<string, number> = new Map();
  /** Of the filter; undefined: none is left out. */
  #onlyNodes: readonly string[] | undefined;
  /** The one that was chosen, and the one that this capture has in its place. */
  #name: TrackName = "runQueue";
  #shown: TrackName = "runQueue";
  #node = ALL_NODES;
  /** The entries of the choices: they are made anew only when the entries change, since they may have the focus. */
  #offeredTracks = "";
  #offeredNodes = "";
  /** The bucket whose values are shown, by keys or by the pointer; null: all of them. */
  #at: number | null = null;
  #palette: Palette | null = null;

  /** @param saved the choice before @param chosen called when the choice changes */
  constructor(
    saved: { readonly track?: unknown; readonly trackNode?: unknown },
    private readonly chosen: () => void,
  ) {
    this.#name = TRACK_NAMES.find((name) => name === saved.track) ?? this.#name;
    this.#node = typeof saved.trackNode === "string" ? saved.trackNode : ALL_NODES;
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    onPixelRatioChange(() => this.paint());
    this.canvas.addEventListener("keydown", (event) => this.#onKey(event));
    this.canvas.addEventListener("pointermove", (event) => this.#look(this.#bucketAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.#look(null));
    this.canvas.addEventListener("blur", () => this.#look(null));
  }

  get choice(): TrackChoice {
    return { track: this.#name, trackNode: this.#node };
  }

  /** @param vms all nodes of a capture of several; none of a capture of one */
  setTracks(timeline: Timeline, tracks: readonly TimelineTrack[], vms: readonly string[]): void {
    this.#timeline = timeline;
    this.#tracks = tracks;
    this.#hues = vmHues(vms);
    this.element.hidden = tracks.length === 0 || timeline.busy.length < 2;
    this.#offerTracks();
    this.#offerNodes();
    this.paint();
  }

  /** A filter of samples by VM applies to the VMs' figures, too. */
  setNodes(only: readonly string[] | undefined): void {
    this.#onlyNodes = only;
    this.#offerNodes();
    this.paint();
  }

  setTheme(palette: Palette): void {
    this.#palette = palette;
    this.paint();
  }

  /** Each track that any VM has; the one that was chosen stays. */
  #offerTracks(): void {
    const names = TRACK_NAMES.filter((wanted) => this.#tracks.some(({ name }) => name === wanted));
    const [first] = names;
    const offered = names.join();
    if (first === undefined || offered === this.#offeredTracks) return;
    this.#offeredTracks = offered;
    // One that this capture has not may be there in the next.
    this.#shown = names.includes(this.#name) ? this.#name : first;
    const options = names.map((name) => [name, S.trackNames[name]] as const);
    const select = singleSelect(S.tracks, options, this.#shown, (value) => {
      this.#name = this.#shown = TRACK_NAMES.find((name) => name === value) ?? this.#name;
      this.paint();
      this.chosen();
    });
    this.trackChoice.replaceChildren(select);
  }

  /** Those that the filter leaves, where it leaves several. */
  #offerNodes(): void {
    const nodes = this.#filteredNodes();
    const offered = JSON.stringify(nodes);
    if (offered === this.#offeredNodes) return;
    this.#offeredNodes = offered;
    this.nodeChoice.replaceChildren();
    if (nodes.length < 2) return;
    // Values are numbers: a node may be called like anything.
    const options = [
      ["", S.allNodes] as const,
      ...nodes.map((node, at) => [String(at), clipped(node, LONGEST_NODE)] as const),
    ];
    const at = nodes.indexOf(this.#node);
    const select = singleSelect(S.trackNode, options, at < 0 ? "" : String(at), (value) => {
      this.#node = value === "" ? ALL_NODES : (nodes[Number(value)] ?? ALL_NODES);
      this.paint();
      this.chosen();
    });
    this.nodeChoice.append(select);
  }

  #filteredNodes(): readonly string[] {
    const only = this.#onlyNodes;
    return [...this.#hues.keys()].filter((node) => only?.includes(node) ?? true);
  }

  /** The lines to draw; a VM that did not report this has no values. */
  #lines(): readonly TrackLine[] {
    const ofName = this.#tracks.filter(({ name }) => name === this.#shown);
    if (this.#hues.size === 0) return ofName.map(({ values }) => ({ node: undefined, hue: 0, values }));
    const nodes = this.#filteredNodes();
    const shown = nodes.includes(this.#node) ? [this.#node] : nodes;
    return shown.map((node) => ({
      node,
      hue: this.#hues.get(node) ?? 0,
      values: ofName.find((track) => track.node === node)?.values ?? new Float64Array(0),
    }));
  }

  paint(): void {
    const [timeline, palette] = [this.#timeline, this.#palette];
    if (!timeline || !palette || this.element.hidden) return;
    const lines = this.#lines();
    const isSeveral = lines.length > 1;
    this.canvas.classList.toggle("lines", isSeveral);
    this.#describe(timeline, palette, lines);
    const heightPx = isSeveral ? LINES_HEIGHT_PX : HEIGHT_PX;
    const drawing = clearedStrip(this.canvas, heightPx, palette);
    if (!drawing) return;
    const { context, widthPx } = drawing;
    const perBucket = (widthPx / timeline.durationMs) * timeline.bucketMs;
    const [only] = lines;
    if (isSeveral) paintLines(drawing, heightPx, palette, lines, perBucket);
    else if (only) paintBars(drawing, heightPx, palette, only, perBucket);
    context.fillStyle = palette.tiny;
    context.fillRect(0, heightPx - 1, widthPx, 1);
    if (this.#at === null) return;
    context.fillStyle = palette.focus;
    context.fillRect(Math.round((this.#at + 0.5) * perBucket) - 1, 0, 2, heightPx);
  }

  #describe({ bucketMs, durationMs }: Timeline, palette: Palette, lines: readonly TrackLine[]): void {
    const [at, name] = [this.#at, this.#shown];
    const figureOf = ({ values }: TrackLine) =>
      at === null ? trackSummary(name, values) : trackValue(name, values[at] ?? Number.NaN);
    const figures = lines.map((line) => ({
      node: line.node,
      figure: figureOf(line),
      colour: trackColour(palette, line),
      hue: line.hue,
    }));
    const isSeveral = lines.length > 1;
    this.legend.show(isSeveral ? figures : []);
    const all = linesText(figures);
    const text = at === null ? all : S.trackAt(duration(at * bucketMs), all);
    this.canvas.setAttribute("aria-label", (isSeveral ? S.tracksLabel : S.trackLabel)(S.trackNames[name]));
    this.canvas.setAttribute("aria-valuemax", String(Math.round(durationMs)));
    this.canvas.setAttribute("aria-valuenow", String(Math.round((at ?? 0) * bucketMs)));
    this.canvas.setAttribute("aria-valuetext", text);
    const beside = !isSeveral
      ? text
      : at === null
        ? S.oneScale(trackValue(name, mostOf(lines)))
        : duration(at * bucketMs);
    if (this.shown.textContent !== beside) this.shown.textContent = beside;
  }

  #look(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    this.paint();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#timeline) return;
    const at = bucketAfter(event.key, this.#at, this.#timeline.busy.length);
    if (at === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#look(at);
  }

  #bucketAt(event: PointerEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const buckets = this.#timeline?.busy.length ?? 1;
    const { durationMs = 1, bucketMs = 1 } = this.#timeline ?? {};
    const atMs = ((event.clientX - box.left) / Math.max(box.width, 1)) * durationMs;
    return bounded(Math.floor(atMs / bucketMs), 0, buckets - 1);
  }
}
