// How a detached capture is shown as a row of a tree.

import * as vscode from "vscode";
import type { DetachedState } from "../../../contract/protocol.generated.js";
import { COMMANDS } from "../contributions.js";
import { addressKey } from "../remote/host-address.js";
import { detachedDescription, isOngoing, type DetachedRow } from "./detached-rows.js";

const ICONS: Readonly<Record<DetachedState, string>> = {
  starting: "sync",
  recording: "record",
  ended: "archive",
  endedUnexpectedly: "warning",
};

/** A click opens the samples so far. */
export function detachedItem(row: DetachedRow): vscode.TreeItem {
  const { detached, host } = row;
  const { l10n, env } = vscode;
  const item = new vscode.TreeItem(detached.name);
  item.id = `detached ${host === undefined ? "" : addressKey(host)} ${detached.name}`;
  item.description = detachedDescription(detached, l10n, env.language);
  item.tooltip = l10n.t(
    "A capture that continues without the editor. Click to open the samples recorded so far and to follow it.",
  );
  item.iconPath = new vscode.ThemeIcon(ICONS[detached.state]);
  item.contextValue = isOngoing(detached.state) ? "detachedRunning" : "detachedEnded";
  item.accessibilityInformation = { label: `${detached.name}, ${item.description}` };
  item.command = { command: COMMANDS.openDetached, title: l10n.t("Open"), arguments: [row] };
  return item;
}
