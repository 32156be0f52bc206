// Puts the parts together: messages from the extension host in, the user's actions out.

import {
  restricts,
  type GraphPart,
  type Orientation,
  type SavedPlace,
  type SavedState,
  type ToHost,
  type ToWebview,
} from "../../contract/messages/flame-graph.js";
import { clipped } from "../../contract/plain-text.js";
import { element } from "../elements/dom.js";
import { connectHost, type Host } from "../page/host.js";
import { Notice, waysOut, type NoticeAction } from "../page/notice.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { Choices } from "./choices.js";
import { copyPicture, drawnPicture, pngOf } from "./copied-picture.js";
import { EXPORTS, type ExportChoice } from "./export-choices.js";
import { pictureName, stacksFile, svgFile, type Picture } from "./export-file.js";
import { FilterBar } from "./filter-bar.js";
import { FilterChips } from "./filter-chips.js";
import { chipsOf } from "./filter-words.js";
import { Folds } from "./folds.js";
import { helpDialog } from "./help.js";
import type { Action } from "../graph/keyboard.js";
import { problemWith } from "../graph/layout.js";
import { percent, samplesWord, setMinimumSamples, setUnit, setWhole, type Whole } from "../graph/graph-figures.js";
import { exactly } from "../graph/search.js";
import { Stage } from "./stage.js";
import { S } from "./strings.js";
import { onThemeChange, readTheme } from "../graph/theme.js";
import { NodeTrack } from "./node-track.js";
import { TimeStrip } from "./time-strip.js";
import { Toolbar } from "./toolbar.js";

type DataMessage = Extract<ToWebview, { type: "data" }>;
/** Saving is not free: paths may be long, and keys come fast. */
const SAVE_AFTER_MS = 300;

export class App {
  private readonly host: Host<ToHost, SavedState>;
  private readonly choices: Choices;
  private orientation: Orientation;
  private query: string;
  private treeShown: boolean;
  private filtersShown: boolean;
  private theme = readTheme();
  /** Of the last graph; null before there was one. */
  private about: Pick<DataMessage, "title" | "live" | "allSamples" | "busySamples" | "uri"> | null = null;
  private samples: number | null = null;
  private savedPlace: { readonly uri: string; readonly place: SavedPlace } | null;
  private saving: ReturnType<typeof setTimeout> | undefined;

  private readonly folds: Folds;
  private readonly stage: Stage;
  private readonly toolbar: Toolbar;
  private readonly filterBar: FilterBar;
  private readonly chips: FilterChips;
  private readonly nodeTrack: NodeTrack;
  private readonly timeStrip: TimeStrip;
  private readonly help = helpDialog();
  private readonly notice = new Notice(null);
  private readonly status = element("span", { class: "status" });
  private readonly cutLine = element("p", { class: "cut-line", hidden: true }, S.isCut);

  constructor(root: HTMLElement) {
    this.host = connectHost<ToWebview, ToHost, SavedState>((message) => this.receive(message));
    const saved = this.host.saved();
    this.orientation = saved.orientation === "flame" ? "flame" : "icicle";
    this.query = typeof saved.query === "string" ? saved.query : "";
    this.treeShown = saved.treeShown ?? document.body.classList.contains("vscode-using-screen-reader");
    this.filtersShown = saved.filtersShown ?? false;
    this.savedPlace = saved.uri && saved.place ? { uri: saved.uri, place: saved.place } : null;
    this.choices = new Choices(
      (message) => this.host.send(message),
      () => this.choicesChanged(),
    );
    this.choices.restore(saved.options, saved.filter);
    this.folds = new Folds(saved);
    this.stage = new Stage(
      {
        send: (message) => this.host.send(message),
        act: (action) => this.act(action),
        changed: () => this.stageChanged(),
        left: () => setWhole(this.#wholeOf(restricts(this.choices.filter))),
        moved: () => this.saveSoon(),
      },
      this.folds,
    );
    this.stage.setOrientation(this.orientation);
    this.toolbar = new Toolbar({
      search: (query) => this.setQuery(query),
      step: (step) => this.stage.stepMatch(step),
      leaveSearch: () => this.stage.active.canvas.focus(),
      orientation: () => this.act({ do: "orientation" }),
      option: (name) => this.choices.switchOption(name),
      group: (groupBy) => this.choices.groupBy(groupBy),
      filters: () => this.toggleFilters(false),
      foldAll: () => this.act({ do: "foldAll" }),
      tree: () => this.act({ do: "tree" }),
      reset: () => this.act({ do: "resetZoom" }),
      help: () => this.help.showModal(),
      export: (choice) => this.exportAs(choice),
    });
    this.filterBar = new FilterBar(
      this.choices,
      (message) => this.host.send(message),
      () => this.stage.active.canvas.focus(),
    );
    this.chips = new FilterChips({
      takeBack: (part) => this.takeBack(() => this.choices.restrict({ [part]: undefined })),
      takeBackAll: () => this.takeBack(() => this.choices.clear()),
    });
    this.nodeTrack = new NodeTrack(saved, () => this.saveSoon());
    this.timeStrip = new TimeStrip((range) => this.choices.restrict({ timeMs: range ?? undefined }));
    const legendLine = element("div", { class: "legend-line" }, this.toolbar.legend, this.status);
    const header = element(
      "header",
      {},
      element("h1", { class: "unseen" }, S.title),
      this.toolbar.element,
      this.filterBar.element,
      this.chips.element,
      legendLine,
      this.cutLine,
      this.nodeTrack.element,
      this.timeStrip.element,
      this.stage.minimap.element,
    );
    root.append(header, this.notice.element, ...this.stage.elements, this.help);
    onThemeChange(() => this.readTheme());
    this.readTheme();
    this.toolbar.searchInput.value = this.query;
    this.say(SHARED_STRINGS.loading, true);
    this.choicesChanged();
    addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "f") return;
      event.preventDefault();
      this.act({ do: "focusSearch" });
    });
    this.host.send({ type: "ready", options: this.choices.options, filter: this.choices.filter, uri: saved.uri ?? "" });
  }

  private receive(message: ToWebview): void {
    switch (message.type) {
      case "data":
        return this.receiveData(message);
      case "sandwich": {
        const problem = problemWith(message.callers) ?? problemWith(message.callees);
        if (problem) return this.say(S.sandwichCannotBeDrawn(problem), false);
        this.samples = message.filteredSamples;
        if (this.about) this.about = { ...this.about, ...totalsOf(message) };
        this.choices.answered(message.builtWith);
        this.notice.hide();
        setWhole("function");
        this.stage.showSandwich(message);
        return this.showStatus();
      }
      case "facets":
        this.filterBar.showFacets(message);
        this.toolbar.offerNodes(message.facets.nodes.count > 0);
        this.nodeTrack.setTracks(message.timeline, message.tracks ?? [], message.vms ?? []);
        return this.timeStrip.setTimeline(message.timeline, message.gaps ?? [], message.stays ?? []);
      case "processes":
        return this.filterBar.showFound(message);
      case "loading":
        return this.say(message.text, true);
      case "empty":
        this.samples = 0;
        this.say(
          message.text,
          false,
          waysOut(message.actions, (request) => this.host.send(request)),
        );
        if (message.filtered) this.choices.answered(message.filtered);
        else {
          this.cutLine.hidden = true;
          this.stage.hide(true);
        }
        return;
      case "reveal":
        return this.stage.reveal(message.path);
      case "mark":
        return this.stage.mark(message.functionName);
      case "toExport":
        return this.host.send({
          type: "export",
          ...stacksFile(message.format, message.data, this.exportTitle(message.part)),
        });
      case "search":
        return this.search(message.query);
    }
  }

  private receiveData(message: DataMessage): void {
    const { data, title, live, isCut, unit, uri, builtWith } = message;
    const problem = problemWith(data);
    if (problem) return this.say(S.cannotBeDrawn(problem), false);
    if (data.totalSamples === 0 || data.nodeFunction.length === 0) return this.say(S.noSamplesYet, live);
    const fresh = this.about?.uri !== uri;
    this.about = { title, live, uri, ...totalsOf(message) };
    this.samples = data.totalSamples;
    this.choices.answered(builtWith);
    setUnit(unit);
    setMinimumSamples(message.minimumSamples ?? 0);
    setWhole(this.#wholeOf(restricts(builtWith.filter)));
    this.cutLine.hidden = !isCut;
    this.notice.hide();
    // The same stacks upside down or without some frames are other paths: a place is kept where it still exists.
    this.stage.showWhole(message, fresh);
    if (fresh && this.savedPlace?.uri === uri) this.stage.setPlace(this.savedPlace.place);
    this.savedPlace = null;
    this.showStatus();
    this.saveSoon();
  }

  private act(action: Action): void {
    switch (action.do) {
      case "focusSearch":
        return this.toolbar.searchInput.focus();
      case "help":
        return this.help.showModal();
      case "invert":
        return this.choices.switchOption("inverted");
      case "collapse":
        return this.choices.switchOption("collapseRecursion");
      case "group":
        return this.nextGrouping();
      case "searchForIt":
        return this.ofSelected((name) => this.search(exactly(name)));
      case "focusOnIt":
        return this.ofSelected((focus) => this.choices.restrict({ focus }));
      case "ignoreIt":
        return this.ofSelected((ignore) => this.choices.restrict({ ignore }));
      case "filters":
        return this.toggleFilters(true);
      case "clearFilters":
        return this.choices.clear();
      case "tree":
        this.treeShown = !this.treeShown;
        return this.showSwitches();
      case "orientation":
        this.orientation = this.orientation === "icicle" ? "flame" : "icicle";
        this.stage.setOrientation(this.orientation);
        return this.showSwitches();
      case "foldAll":
        this.stage.act(action);
        return this.showSwitches();
      default:
        return this.stage.act(action);
    }
  }

  private nextGrouping(): void {
    if (!this.stage.isWhole) return;
    const { groupings } = this.toolbar;
    const at = groupings.indexOf(this.choices.options.groupBy);
    this.choices.groupBy(groupings[(at + 1) % groupings.length] ?? "none");
  }

  private toggleFilters(focus: boolean): void {
    this.filtersShown = !this.filtersShown;
    this.showSwitches();
    if (focus && this.filtersShown) this.filterBar.focus();
  }

  /** The pressed button disappears; the graph takes the focus. */
  private takeBack(change: () => void): void {
    change();
    this.stage.active.canvas.focus();
  }

  private choicesChanged(): void {
    this.filterBar.show(this.choices.filter);
    this.nodeTrack.setNodes(this.choices.filter.nodes);
    this.timeStrip.setRange(this.choices.filter.timeMs ?? null);
    this.showStatus();
    this.showSwitches();
  }

  private showStatus(): void {
    const { allSamples = 0, busySamples = allSamples } = this.about ?? {};
    this.chips.show(this.choices.filter, this.choices.pending ? null : this.samples, busySamples);
    if (!this.about) return;
    const parts = [
      clipped(this.about.title),
      samplesWord(allSamples),
      busySamples < allSamples && S.idle(percent(allSamples - busySamples, allSamples)),
      this.about.live && SHARED_STRINGS.live,
      this.choices.pending && S.building,
    ];
    this.status.textContent = parts.filter(Boolean).join(" · ");
  }

  /** The samples that the root of the whole graph stands for. */
  #wholeOf(isFiltered: boolean): Whole {
    if (isFiltered) return "filtered";
    return this.about?.busySamples === undefined ? "all" : "busy";
  }

  private showSwitches(): void {
    const { options } = this.choices;
    this.toolbar.show({
      options,
      orientation: this.orientation,
      treeShown: this.treeShown,
      filtersShown: this.filtersShown,
      unfoldAll: this.folds.all,
    });
    this.stage.showTree(this.treeShown);
    this.filterBar.element.hidden = !this.filtersShown;
    this.saveSoon();
  }

  private stageChanged(): void {
    this.toolbar.allowGrouping(this.stage.isWhole);
    this.toolbar.offerFolding(this.folds.isOffered);
    this.toolbar.showLegend(this.stage.panes.flatMap((pane) => (pane.element.hidden || !pane.data ? [] : [pane.data])));
    this.applySearch();
  }

  private ofSelected(act: (functionName: string) => void): void {
    const name = this.stage.selectedFunction();
    if (name !== null) act(name);
  }

  private search(query: string): void {
    this.toolbar.searchInput.value = query;
    this.setQuery(query);
  }

  private setQuery(query: string): void {
    this.query = query;
    this.applySearch();
    this.saveSoon();
  }

  private applySearch(): void {
    const { text, isError } = this.stage.search(this.query);
    this.toolbar.showSearch(text, isError);
  }

  private exportAs(choice: ExportChoice): void {
    const picture = this.stage.picture(this.theme.palette);
    if (!picture) return;
    const part = this.stage.activePart;
    if (choice === "picture") return this.pictureToClipboard(picture, this.exportTitle(part));
    if (choice === "markdown") return this.pictureForMarkdown(picture, this.exportTitle(part));
    const wanted = EXPORTS[choice];
    if (wanted.format === "svg") this.host.send({ type: "export", ...svgFile(picture, this.exportTitle(part)) });
    else this.host.send({ type: "graphToExport", part, ...wanted });
  }

  private pictureToClipboard(picture: Picture, title: string): void {
    const copied = (problem: string) => this.host.send({ type: "pictureCopied", problem });
    copyPicture(drawnPicture(picture, title, this.theme.fontFamily)).then(
      () => copied(""),
      (error: unknown) => copied(error instanceof Error ? error.message : String(error)),
    );
  }

  private pictureForMarkdown(picture: Picture, title: string): void {
    const png = pngOf(drawnPicture(picture, title, this.theme.fontFamily));
    if (png === undefined) this.host.send({ type: "pictureCopied", problem: S.pictureTooLarge });
    else this.host.send({ type: "pictureForMarkdown", title, suggestedName: pictureName(title), png });
  }

  private exportTitle(part: GraphPart): string {
    const filter = chipsOf(this.choices.filter)
      .map(({ text }) => text)
      .join(", ");
    const title = this.about?.title ?? S.title;
    return this.stage.titleOf(part, filter === "" ? title : `${title} (${filter})`);
  }

  private say(text: string, isBusy: boolean, actions: readonly NoticeAction[] = []): void {
    this.notice.say(text, actions);
    this.notice.element.classList.toggle("busy", isBusy);
    this.stage.hide(false);
  }

  private saveSoon(): void {
    if (this.saving !== undefined) return;
    this.saving = setTimeout(() => {
      this.saving = undefined;
      const { options, filter } = this.choices;
      const place = this.savedPlace ? this.savedPlace.place : this.stage.place();
      const uri = this.about?.uri ?? this.savedPlace?.uri ?? this.host.saved().uri ?? "";
      this.host.save({
        orientation: this.orientation,
        query: this.query,
        treeShown: this.treeShown,
        filtersShown: this.filtersShown,
        ...this.folds.saved,
        options,
        filter,
        uri,
        place,
        ...this.nodeTrack.choice,
      });
    }, SAVE_AFTER_MS);
  }

  private readTheme(): void {
    this.theme = readTheme();
    this.stage.setTheme(this.theme);
    this.nodeTrack.setTheme(this.theme.palette);
    this.timeStrip.setTheme(this.theme.palette);
  }
}

type Totals = Pick<DataMessage, "allSamples" | "busySamples">;

function totalsOf({ allSamples, busySamples }: Totals): Totals {
  return busySamples === undefined ? { allSamples } : { allSamples, busySamples };
}
