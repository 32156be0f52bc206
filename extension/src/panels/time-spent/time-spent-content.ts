// The messages to the page of CPU and waits together, and its requests.

import * as vscode from "vscode";
import type { CaptureRemark } from "../../../../contract/messages/any-page.js";
import type { ToHost, ToWebview } from "../../../../contract/messages/time-spent.js";
import { COMMANDS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { fileName } from "../../text/base-name.js";
import { copy, openFunction } from "../page/page-actions.js";
import type { PanelContent } from "../page/webview-page.js";
import type { OpenPair } from "./pair-of-files.js";
import { timeMessages } from "./shown-time.js";
import { functionsAsCsv, processesAsCsv } from "./spent-csv.js";

/** The further requests of the page. */
export interface TimeSpentActions {
  /** To watch the same VM once more. */
  again(pair: OpenPair | undefined): Thenable<unknown>;
  /** To choose two captures. */
  choose(): Thenable<unknown>;
}

export class TimeSpentContent implements PanelContent<ToHost> {
  #pair: OpenPair | undefined;
  #problem: string | undefined;

  constructor(
    private readonly services: ExtensionServices,
    private readonly post: (message: ToWebview | CaptureRemark) => void,
    private readonly actions: TimeSpentActions,
  ) {}

  get pair(): OpenPair | undefined {
    return this.#pair;
  }

  show(pair: OpenPair): void {
    this.#pair = pair;
    this.#problem = undefined;
    this.#send();
  }

  /** There is nothing to show. */
  say(problem: string): void {
    this.#pair = undefined;
    this.#problem = problem;
    this.#send();
  }

  async receive(message: ToHost): Promise<void> {
    const pair = this.#pair;
    if (message.type === "ready") return this.#send();
    if (message.type === "again") return void (await this.actions.again(pair));
    if (message.type === "choose") return void (await this.actions.choose());
    if (message.type === "copyText") return copy(String(message.text));
    if (pair === undefined) return;
    switch (message.type) {
      case "functionsOf": {
        const process = textOrNull(message.process);
        return this.post({ type: "functions", process, rows: pair.time.functions(process) });
      }
      case "detailOf":
        return this.post({
          type: "detail",
          detail: pair.time.detail(String(message.functionName), textOrNull(message.process)),
        });
      case "openSource": {
        const found = pair.time.functionOf(String(message.functionName));
        return openFunction(this.services, found?.fn, 0, found && pair[found.of]);
      }
      case "flameGraph":
        return flameGraph(this.services, pair, message);
      case "copyCsv": {
        const { time } = pair;
        return copy(
          message.table === "processes"
            ? processesAsCsv(time.processes().rows)
            : functionsAsCsv(time.functions(textOrNull(message.process))),
        );
      }
    }
  }

  setVisible(): void {
    // The content does not change by itself.
  }

  dispose(): void {
    this.#pair = undefined;
  }

  #send(): void {
    const pair = this.#pair;
    if (pair === undefined)
      return this.post({
        type: "none",
        text:
          this.#problem ?? vscode.l10n.t("No captures are shown. Watch a VM, or choose two captures of the same time."),
      });
    const files = { cpu: fileName(pair.cpu.uri), waits: fileName(pair.waits.uri) };
    const uris = { cpu: pair.cpu.uri.toString(), waits: pair.waits.uri.toString() };
    for (const message of timeMessages(pair.time, files, uris, vscode.l10n, vscode.env.language)) this.post(message);
  }
}

/** With the names of processes that are shown here: the file itself may not say them. */
async function flameGraph(
  { captures }: ExtensionServices,
  pair: OpenPair,
  { of, functionName, process }: Extract<ToHost, { type: "flameGraph" }>,
): Promise<void> {
  const opened = pair[of === "cpu" ? "cpu" : "waits"];
  const found = functionName === undefined ? undefined : pair.time.functionOf(String(functionName));
  if (captures.get(opened.uri) !== undefined) captures.replace(opened);
  captures.show(captures.get(opened.uri) ?? opened);
  await vscode.commands.executeCommand(COMMANDS.showFlameGraph, {
    ...(found === undefined ? {} : { functionName: found.fn.name }),
    ...(process === undefined ? {} : { process: String(process) }),
  });
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
