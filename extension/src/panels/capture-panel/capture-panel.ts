// Panels of a capture: the content that they all share, and those that a command opens for the capture in view.

import * as vscode from "vscode";
import type { OpenCapture } from "../../captures/capture-store.js";
import { namedCapture } from "../../captures/named-capture.js";
import { showUnreadable } from "../../captures/open-capture.js";
import type { ExtensionServices } from "../../extension-services.js";
import { forLog } from "../../text/error-text.js";
import { later } from "../../later.js";
import { postTo } from "../page/webview-page.js";
import { CapturePanels, type CaptureContent, type CapturePanelsKind } from "./capture-panels.js";
import type { CaptureSession, CaptureSessionHost, SelectedFunction } from "./capture-session.js";
import { captureTexts } from "./capture-texts.js";
import { bringIntoView, follow, shownCapture } from "./follow-captures.js";
import type { Clock } from "./refresh-schedule.js";

/** What commands that show a panel are given: anything may be in there. */
export interface ShowArguments {
  /** A capture to bring into view first; it is opened when it is not open. */
  readonly uri?: unknown;
  /** A function as shown in the capture in view. */
  readonly functionName?: unknown;
  /** A process as the capture in view calls it. */
  readonly process?: unknown;
  readonly query?: unknown;
}

export interface CapturePanelKind<ToHost, Session> extends CapturePanelsKind<ToHost, Session> {
  readonly command: string;
  /** Whether the source that is being edited stays in sight when the panel opens. */
  besideSource?(given: ShowArguments): boolean;
  /** Brings another view that shows the same of this capture to the front, in place of the panel. Undefined: there is none. */
  instead?(opened: OpenCapture): Session | undefined;
  /** Called by the command once the panel is there. */
  shown?(session: Session, given: ShowArguments): void;
}

const editorClock: Clock = {
  nowMs: () => performance.now(),
  later,
};

/** @param current the capture the panel shows; it may be another one at the next call */
export function captureSessionHost<ToWebview>(
  panel: vscode.WebviewPanel,
  { captures, log, sources }: ExtensionServices,
  current: () => OpenCapture | undefined,
): CaptureSessionHost<ToWebview> {
  const selected: SelectedFunction = {
    current: () => {
      const opened = current();
      return opened && captures.selectedFunction(opened);
    },
    select: (functionIndex) => {
      const opened = current();
      if (opened) captures.selectFunction(opened, functionIndex);
    },
  };
  return {
    ...editorClock,
    texts: captureTexts(vscode.l10n, vscode.env.language),
    selected,
    current: () => shownCapture(current(), sources),
    post: (message) => postTo(panel, message),
    problem: (error) => log.error(forLog(error)),
  };
}

/** @param act the other actions of a message, after the session received it */
export function captureContent<ToHost, ToWebview, Session extends CaptureSession<ToHost, ToWebview>>(
  { captures }: ExtensionServices,
  current: () => OpenCapture | undefined,
  session: Session,
  act: (message: ToHost, session: Session) => Promise<void>,
): CaptureContent<ToHost, Session> {
  const following = follow(captures, current, session);
  return {
    session,
    receive: (message) => {
      session.receive(message);
      return act(message, session);
    },
    setVisible: (visible) => session.setVisible(visible),
    look: () => following.look(),
    dispose: () => {
      following.dispose();
      session.dispose();
    },
  };
}

export function registerCapturePanel<ToHost, Session>(
  services: ExtensionServices,
  kind: CapturePanelKind<ToHost, Session>,
): CapturePanels<ToHost, Session> {
  const { captures, context, log } = services;
  const panels = new CapturePanels<ToHost, Session>(services, kind);
  context.subscriptions.push(
    vscode.commands.registerCommand(kind.command, async (given?: ShowArguments) => {
      try {
        const uri = namedCapture(given);
        if (uri !== undefined) await bringIntoView(captures, uri);
      } catch (error) {
        showUnreadable(error, log);
        return;
      }
      const other = captures.current && kind.instead?.(captures.current);
      kind.shown?.(other ?? panels.show(kind.besideSource?.(given ?? {}) ?? true), given ?? {});
    }),
  );
  return panels;
}

/** A text among the arguments; undefined for none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
