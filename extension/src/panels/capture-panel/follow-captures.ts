// Keeps what a panel shows in step with its capture, and brings captures back for it.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../../captures/capture-store.js";
import { namedCapture } from "../../captures/named-capture.js";
import { attributionOf, minimumNow } from "../../captures/attribution.js";
import { openedCapture, showCapture } from "../../captures/open-capture.js";
import { SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { setting } from "../../settings.js";
import { errorText } from "../../text/error-text.js";
import type { SourceNavigator } from "../../sources/source-navigator.js";
import type { ShownCapture } from "./shown-capture.js";

interface Following {
  captureChanged(): void;
  captureUpdated(): void;
  selectionChanged(): void;
}

export function shownCapture(opened: OpenCapture, sources: SourceNavigator): ShownCapture;
export function shownCapture(opened: OpenCapture | undefined, sources: SourceNavigator): ShownCapture | undefined;
export function shownCapture(opened: OpenCapture | undefined, sources: SourceNavigator): ShownCapture | undefined {
  return (
    opened && {
      capture: opened.capture,
      title: opened.title,
      live: opened.live,
      uri: opened.uri.toString(),
      attribution: attributionOf(opened.capture),
      percentOf: setting(SETTINGS.percentOf),
      minimumSamples: minimumNow(opened.capture),
      originOf: (functionIndex) => sources.originOf(opened, functionIndex),
    }
  );
}

/**
 * @param current called each time for the capture that is shown
 * @returns `look`: to be called when it may be another one without an event of the store
 */
export function follow(
  captures: CaptureStore,
  current: () => OpenCapture | undefined,
  following: Following,
): vscode.Disposable & { look(): void } {
  let shown = current();
  const look = () => {
    if (current() === shown) return;
    shown = current();
    following.captureChanged();
  };
  const listening = vscode.Disposable.from(
    captures.onDidChangeCurrent(look),
    captures.onDidClose(look),
    captures.onDidUpdate((opened) => {
      if (opened === current()) following.captureUpdated();
    }),
    captures.onDidSelectFunction((opened) => {
      if (opened === current()) following.selectionChanged();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const isShown = [SETTINGS.attribution, SETTINGS.percentOf, SETTINGS.minimumSamples].some((name) =>
        event.affectsConfiguration(`extrospect.${name}`),
      );
      if (isShown) following.captureUpdated();
    }),
  );
  return { look, dispose: () => void listening.dispose() };
}

/**
 * Brings a capture into view, reading its file when it is not open. No tab opens for it.
 * @throws {UnreadableCapture} when it cannot be shown
 */
export async function bringIntoView(captures: CaptureStore, uri: vscode.Uri): Promise<void> {
  if (captures.current?.uri.toString() === uri.toString()) return;
  await showCapture(uri, captures);
}

/** The capture that the page of a panel showed before a restart, by its state. */
export function savedCapture({ log }: ExtensionServices, state: unknown): vscode.Uri | undefined {
  try {
    return namedCapture({ uri: (state as { readonly uri?: unknown } | null | undefined)?.uri });
  } catch (error) {
    log.info(`A panel does not know which capture it showed: ${errorText(error)}`);
    return undefined;
  }
}

/**
 * After a restart: opens the capture that a panel showed, if its file is still there.
 * @param isInFront whether the panel is: then its capture comes into view
 * @returns whether it is open
 */
export async function bringBack(
  { captures, log }: ExtensionServices,
  uri: vscode.Uri,
  isInFront: () => boolean,
): Promise<boolean> {
  try {
    if (captures.get(uri) === undefined) await vscode.workspace.fs.stat(uri);
    const opened = await openedCapture(uri, captures);
    if (captures.current === undefined || isInFront()) captures.show(captures.get(uri) ?? opened);
    else captures.keep(opened);
    return true;
  } catch (error) {
    log.info(`The capture that was shown before is not shown again: ${errorText(error)}`);
    return false;
  }
}
