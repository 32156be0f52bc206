// The capture that the arguments of a command name, for every command that takes one.

import * as vscode from "vscode";
import { fileName } from "../text/base-name.js";
import { errorText } from "../text/error-text.js";
import type { CaptureStore } from "./capture-store.js";
import { captureNameOf, unnamed, type Unnamed } from "./capture-argument.js";
import { UnreadableCapture } from "./open-capture.js";

/**
 * @param given `{uri}` with a text or a `vscode.Uri`, such as a row of the view, or the `vscode.Uri` itself, as menus hand it over
 * @returns undefined when no capture is named
 * @throws {UnreadableCapture} when something is named that is no capture's address
 */
export function namedCapture(given: unknown): vscode.Uri | undefined {
  const named =
    typeof given === "object" && given !== null && !(given instanceof vscode.Uri)
      ? (given as { uri?: unknown }).uri
      : given;
  const uri = named instanceof vscode.Uri ? named : addressOf(named);
  if (uri !== undefined && fileName(uri) === "")
    throw refused(unnamed(uri.toString(), vscode.l10n.t("not a possible file name"), vscode.l10n));
  return uri;
}

/** The file of the capture in view; undefined when none is in view. @throws {UnreadableCapture} when it is of several files */
export function fileInView({ current }: CaptureStore): vscode.Uri | undefined {
  if (current?.files === undefined) return current?.uri;
  throw new UnreadableCapture(
    vscode.l10n.t("The capture in view is of several files"),
    vscode.l10n.t("only a single file is possible"),
    vscode.l10n.t("Choose one of them in the Captures view."),
  );
}

function addressOf(named: unknown): vscode.Uri | undefined {
  const name = captureNameOf(named, vscode.l10n);
  if (name === undefined) return undefined;
  if ("path" in name) return vscode.Uri.file(name.path);
  if ("fix" in name) throw refused(name);
  try {
    return vscode.Uri.parse(name.address, true);
  } catch (error) {
    throw refused(unnamed(name.address, errorText(error), vscode.l10n));
  }
}

function refused({ what, why, fix }: Unnamed): UnreadableCapture {
  return new UnreadableCapture(what, why, fix);
}
