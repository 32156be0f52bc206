// Fetching debug files before a VM is attached to, where the user wants that.

import * as vscode from "vscode";
import { SETTINGS } from "../contributions.js";
import { HelperError, isCancelled } from "../helper/helper-error.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { showWarningMessage, withReportedProgress } from "../messages/show-message.js";
import { setting } from "../settings.js";
import { debugFileLines, debugFileWish, fetchFailure } from "./debug-file-words.js";

/** Fetches them, one VM at a time. */
export class DebugFiles {
  #isFetching = false;
  /** Failures that were shown already: the log has each of them every time. */
  readonly #shown = new Set<string>();

  constructor(
    private readonly helper: HelperConnection,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get isFetching(): boolean {
    return this.#isFetching;
  }

  /** Fetches what a VM lacks. Whatever comes of it, also when the user cancels it, attaching may follow. */
  async fetchFor(pid: number): Promise<void> {
    const wish = debugFileWish(
      setting(SETTINGS.debuginfodFetch),
      setting(SETTINGS.debuginfodServers),
      process.env.DEBUGINFOD_URLS,
    );
    if (wish === undefined) return;
    this.#isFetching = true;
    try {
      const title = vscode.l10n.t("Fetching debug files for process {0}", pid);
      const result = await withReportedProgress(title, (token, report) =>
        this.helper.request("extrospect/debugFiles/fetch", { pid, ...wish }, token, report),
      );
      for (const line of debugFileLines(result)) this.log.info(line);
      const failure = fetchFailure(result, vscode.l10n);
      if (failure !== undefined) this.#show(failure);
    } catch (error) {
      // The attach that follows reports any problem of the helper.
      if (!isCancelled(error) && !(error instanceof HelperError)) throw error;
      this.log.info(
        `Fetching debug files for process ${String(pid)}: ${error instanceof Error ? error.message : "cancelled"}`,
      );
    } finally {
      this.#isFetching = false;
    }
  }

  #show(failure: string): void {
    if (this.#shown.has(failure)) return;
    this.#shown.add(failure);
    const settings = vscode.l10n.t("Settings");
    void showWarningMessage(failure, settings).then((chosen) => {
      if (chosen === settings)
        void vscode.commands.executeCommand(
          "workbench.action.openSettings",
          `@ext:extrospect.extrospect ${SETTINGS.debuginfodFetch.split(".")[0] ?? ""}`,
        );
    });
  }
}
