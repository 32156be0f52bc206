// The panels of one kind, one for each capture that they were opened for. They are shown again rather than opened
// twice, and come back with the window.

import * as vscode from "vscode";
import type { PanelFollows } from "../../../../contract/messages/any-page.js";
import type { OpenCapture } from "../../captures/capture-store.js";
import { COMMANDS, CONTEXT } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { fillPanel, postTo, webviewOptions, type PanelContent } from "../page/webview-page.js";
import { bringBack, savedCapture } from "./follow-captures.js";
import { didFollow, PanelCapture } from "./panel-capture.js";

export interface CaptureContent<ToHost, Session> extends PanelContent<ToHost> {
  readonly session: Session;
  /** To be called when the panel may show another capture than before. */
  look(): void;
}

export interface CapturePanelsKind<ToHost, Session> {
  readonly viewType: string;
  /** Folder of webviews/. */
  readonly page: string;
  title(captureTitle: string | undefined): string;
  fill(panel: vscode.WebviewPanel, current: () => OpenCapture | undefined): CaptureContent<ToHost, Session>;
  /** The user has closed one. */
  closed?(): void;
}

interface OpenPanel<ToHost, Session> {
  readonly panel: vscode.WebviewPanel;
  readonly capture: PanelCapture<vscode.Uri, OpenCapture>;
  readonly content: CaptureContent<ToHost, Session>;
  /** Not opened by a command: it moves on to the next capture for which one opens by itself. */
  isByItself: boolean;
  isClosedWithCapture: boolean;
}

/** Of all kinds: the commands are about the panel in front. */
interface InFront {
  readonly panel: vscode.WebviewPanel;
  isFollowing(): boolean;
  setFollowing(isFollowing: boolean): void;
}

const everyPanel = new Set<InFront>();

/** *Follow the Capture in View* and *Stay with This Capture*. */
export function registerFollowing(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.commands.registerCommand(COMMANDS.followCapture, () => panelInFront()?.setFollowing(true)),
    vscode.commands.registerCommand(COMMANDS.stayWithCapture, () => panelInFront()?.setFollowing(false)),
  );
}

function panelInFront(): InFront | undefined {
  return [...everyPanel].find(({ panel }) => panel.active);
}

function noteInFront(): void {
  const isFollowing = panelInFront()?.isFollowing() === true;
  void vscode.commands.executeCommand("setContext", CONTEXT.panelFollows, isFollowing);
}

export class CapturePanels<ToHost, Session> {
  readonly #services: ExtensionServices;
  readonly #kind: CapturePanelsKind<ToHost, Session>;
  readonly #open = new Set<OpenPanel<ToHost, Session>>();

  constructor(services: ExtensionServices, kind: CapturePanelsKind<ToHost, Session>) {
    this.#services = services;
    this.#kind = kind;
    const { captures, context } = services;
    context.subscriptions.push(
      // Before the contents of the panels, which listen as well: they are made later.
      captures.onDidChangeCurrent(() => {
        for (const { capture } of this.#open) capture.viewChanged();
        this.#retitle();
      }),
      captures.onDidUpdate(() => this.#retitle()),
      captures.onDidMove(({ from, to }) => {
        for (const { capture } of this.#open) if (capture.isOf(from)) capture.stayWith(to);
      }),
      captures.onDidClose(({ uri }) => this.closeOf(uri)),
      vscode.window.registerWebviewPanelSerializer(kind.viewType, {
        deserializeWebviewPanel: (panel: vscode.WebviewPanel, state: unknown) => {
          const uri = savedCapture(services, state);
          const open = this.#adopt(panel, uri, didFollow(state));
          noteInFront();
          if (uri !== undefined) void this.#bringBack(open, uri);
          return Promise.resolve();
        },
      }),
    );
  }

  /**
   * Opens the panel of the capture in view, or brings it to the front.
   * @param beside the source being edited stays in sight
   */
  show(beside: boolean): Session {
    const there = this.#inView();
    if (there === undefined) return this.#create(beside, false).content.session;
    there.isByItself = false;
    there.panel.reveal(there.panel.viewColumn);
    return there.content.session;
  }

  /** Opens the panel of the capture in view beside the source, where the cursor stays, unless it is open. */
  openByItself(): void {
    const { current } = this.#services.captures;
    if (current === undefined || this.#inView() !== undefined) return;
    const before = [...this.#open].find(({ isByItself }) => isByItself);
    if (before === undefined) {
      this.#create(true, true).isByItself = true;
      return;
    }
    before.capture.stayWith(current.uri);
    this.#changed(before);
  }

  /** Closes the panels that stay with a capture. */
  closeOf(uri: vscode.Uri): void {
    for (const open of [...this.#open]) {
      if (!open.capture.isOf(uri)) continue;
      open.isClosedWithCapture = true;
      open.panel.dispose();
    }
  }

  async #bringBack(open: OpenPanel<ToHost, Session>, uri: vscode.Uri): Promise<void> {
    // One that follows needs its former capture only where no other is in view.
    if (open.capture.isFollowing && this.#services.captures.current !== undefined) return;
    const isOpen = () => this.#open.has(open);
    const isThere = await bringBack(this.#services, uri, () => isOpen() && open.panel.active);
    if (!isOpen()) return;
    if (!isThere) open.capture.leave();
    this.#changed(open);
  }

  #inView(): OpenPanel<ToHost, Session> | undefined {
    const { current } = this.#services.captures;
    const showing = [...this.#open].filter(({ capture }) => capture.shown === current);
    return showing.find(({ capture }) => !capture.isFollowing) ?? showing[0];
  }

  #create(beside: boolean, preserveFocus: boolean): OpenPanel<ToHost, Session> {
    const viewColumn = beside && vscode.window.activeTextEditor ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
    const title = this.#kind.title(this.#services.captures.current?.title);
    const options = webviewOptions(this.#services);
    return this.#adopt(
      vscode.window.createWebviewPanel(this.#kind.viewType, title, { viewColumn, preserveFocus }, options),
    );
  }

  #adopt(panel: vscode.WebviewPanel, own?: vscode.Uri, isFollowing = false): OpenPanel<ToHost, Session> {
    const { captures } = this.#services;
    const capture = new PanelCapture<vscode.Uri, OpenCapture>(captures, own, isFollowing);
    const content = this.#kind.fill(panel, () => capture.shown);
    const open = { panel, capture, content, isByItself: false, isClosedWithCapture: false };
    const inFront: InFront = {
      panel,
      isFollowing: () => capture.isFollowing,
      setFollowing: (isFollowing) => this.#setFollowing(open, isFollowing),
    };
    this.#open.add(open);
    everyPanel.add(inFront);
    let wasActive = panel.active;
    panel.onDidChangeViewState(() => {
      // The sources show the capture of the tab in front, too.
      if (panel.active && !wasActive && capture.shown !== undefined) captures.show(capture.shown);
      wasActive = panel.active;
      noteInFront();
    });
    panel.onDidDispose(() => {
      this.#open.delete(open);
      everyPanel.delete(inFront);
      capture.dispose();
      if (!open.isClosedWithCapture) this.#kind.closed?.();
    });
    panel.title = this.#kind.title(capture.shown?.title);
    fillPanel(panel, this.#services, this.#kind.page, {
      setVisible: (visible) => content.setVisible(visible),
      dispose: () => void content.dispose(),
      receive: (message: ToHost) => {
        // A message that was posted before the page began is lost.
        if (isReady(message)) postFollowing(open);
        return content.receive(message);
      },
    });
    return open;
  }

  #setFollowing(open: OpenPanel<ToHost, Session>, isFollowing: boolean): void {
    open.isByItself = false;
    if (isFollowing) open.capture.follow();
    else open.capture.stay();
    postFollowing(open);
    this.#changed(open);
    noteInFront();
  }

  #changed({ content }: OpenPanel<ToHost, Session>): void {
    content.look();
    this.#retitle();
  }

  #retitle(): void {
    for (const { panel, capture } of this.#open) {
      const title = this.#kind.title(capture.shown?.title);
      if (panel.title !== title) panel.title = title;
    }
  }
}

/** The page keeps it for a window that is reloaded. */
function postFollowing({ panel, capture }: OpenPanel<unknown, unknown>): void {
  const message: PanelFollows = { type: "panelFollows", follows: capture.isFollowing };
  postTo(panel, message);
}

/** The first message of each page, also of one that was hidden and is shown again. */
function isReady(message: unknown): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === "ready";
}
