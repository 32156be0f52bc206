// Keeps what a panel shows in step with the capture in view.

import * as vscode from "vscode";
import type { CaptureStore, OpenCapture } from "../../captures/capture-store.js";
import { namedCapture } from "../../captures/named-capture.js";
import { measureOf } from "../../captures/measure.js";
import { showCapture } from "../../captures/open-capture.js";
import { SETTINGS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { setting } from "../../settings.js";
import { errorText } from "../../text/error-text.js";
import type { SourceNavigator } from "../../sources/source-navigator.js";
import type { ShownCapture } from "./shown-capture.js";

interface Following {
  captureChanged(): void;
  captureUpdated(): void;
}

export function shownCapture(opened: OpenCapture | undefined, sources: SourceNavigator): ShownCapture | undefined {
  return (
    opened && {
      capture: opened.capture,
      title: opened.title,
      live: opened.live,
      uri: opened.uri.toString(),
      measure: measureOf(opened.capture),
      percentOf: setting(SETTINGS.percentOf),
      minimumSamples: setting(SETTINGS.minimumSamples),
      originOf: (functionIndex) => sources.originOf(opened, functionIndex),
    }
  );
}

/** @param current called each time for the capture that is shown */
export function follow(
  captures: CaptureStore,
  current: () => OpenCapture | undefined,
  following: Following,
): vscode.Disposable {
  let shown = current();
  const look = () => {
    if (current() === shown) return;
    shown = current();
    following.captureChanged();
  };
  return vscode.Disposable.from(
    captures.onDidChangeCurrent(look),
    captures.onDidClose(look),
    captures.onDidUpdate((opened) => {
      if (opened === current()) following.captureUpdated();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const isShown = [SETTINGS.measure, SETTINGS.percentOf, SETTINGS.minimumSamples].some((name) =>
        event.affectsConfiguration(`extrospect.${name}`),
      );
      if (isShown) following.captureUpdated();
    }),
  );
}

/**
 * Brings a capture into view, reading its file when it is not open. No tab opens for it.
 * @throws {UnreadableCapture} when it cannot be shown
 */
export async function bringIntoView(captures: CaptureStore, uri: vscode.Uri): Promise<void> {
  if (captures.current?.uri.toString() === uri.toString()) return;
  await showCapture(uri, captures);
}

/** After a restart: the capture the page showed, if its file is still there. */
export async function bringBack({ captures, log }: ExtensionServices, savedUri: unknown): Promise<void> {
  if (captures.current) return;
  try {
    const uri = namedCapture({ uri: savedUri });
    if (!uri) return;
    await vscode.workspace.fs.stat(uri);
    await bringIntoView(captures, uri);
  } catch (error) {
    log.info(`The capture that was shown before is not shown again: ${errorText(error)}`);
  }
}
