// The messages to and from the helper in the log, as the setting `extrospect.trace.server` wants them.

import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";

const LONGEST_LINE = 4000;

/**
 * The log as the language client sees it. The client traces only while the channel's level is Trace; here the setting
 * decides, so that a user need not know about levels. Long messages are cut: increments hold megabytes.
 */
export function traceChannel(
  log: vscode.LogOutputChannel,
  subscriptions: vscode.Disposable[],
): vscode.LogOutputChannel {
  const didChange = new vscode.EventEmitter<vscode.LogLevel>();
  subscriptions.push(
    didChange,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`extrospect.${SETTINGS.traceServer}`)) didChange.fire(level());
    }),
  );
  return {
    get name() {
      return log.name;
    },
    get logLevel() {
      return level();
    },
    onDidChangeLogLevel: didChange.event,
    trace(message, ...args: unknown[]) {
      const line =
        message.length <= LONGEST_LINE ? message : `${message.slice(0, LONGEST_LINE)}… (${String(message.length)})`;
      // The user requested the trace, so it appears at the level that the log has anyway.
      log.info(line, ...args);
    },
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: log.warn.bind(log),
    error: log.error.bind(log),
    append: log.append.bind(log),
    appendLine: log.appendLine.bind(log),
    replace: log.replace.bind(log),
    clear: log.clear.bind(log),
    show: log.show.bind(log) as vscode.LogOutputChannel["show"],
    hide: log.hide.bind(log),
    dispose: () => {},
  };
}

function level(): vscode.LogLevel {
  return setting(SETTINGS.traceServer) === "off" ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
}
