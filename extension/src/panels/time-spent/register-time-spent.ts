// "Where Processes Spend Their Time…": samples of processor time and looks at who waits, taken at once, and shown in one table. Two captures of the same time are shown likewise.

import * as vscode from "vscode";
import type { SavedState, ToHost } from "../../../../contract/messages/time-spent.js";
import { summaryOf } from "../../captures/capture-summary.js";
import { namedCapture } from "../../captures/named-capture.js";
import { showUnreadable, UnreadableCapture } from "../../captures/open-capture.js";
import { registerReadingCommand } from "../../captures/register-command.js";
import { COMMANDS, PANELS } from "../../contributions.js";
import type { ExtensionServices } from "../../extension-services.js";
import { showError } from "../../helper/show-error.js";
import { chosenVm, type Machines } from "../../inside/chosen-vm.js";
import { InsideVms } from "../../inside/inside-vm.js";
import type { HostAddress } from "../../remote/host-address.js";
import { errorText } from "../../text/error-text.js";
import { SinglePanel } from "../page/single-panel.js";
import { postTo } from "../page/webview-page.js";
import { chosenSeconds, keepWaits, secondsOf, watchedWithProgress } from "../waits/watched-vm.js";
import { openPair, pairOf, type ListedFile, type PairOfFiles } from "./pair-of-files.js";
import { TimeSpentContent } from "./time-spent-content.js";

/** For so long a look stands that none was before. */
const FIRST_LOOK_MS = 250;

/** @param listed all captures, read */
export function registerTimeSpent(
  services: ExtensionServices,
  machines: Machines,
  listed: () => Promise<readonly ListedFile[]>,
): void {
  const { context, log } = services;
  const { l10n } = vscode;
  const panel: SinglePanel<ToHost, TimeSpentContent> = new SinglePanel<ToHost, TimeSpentContent>(services, {
    viewType: PANELS.timeSpent,
    page: "time-spent",
    title: () => {
      const pair = panel?.content?.pair;
      return pair === undefined
        ? l10n.t("CPU and Waits")
        : l10n.t("CPU and Waits: {0}", summaryOf(pair.cpu.capture).target);
    },
    fill: (view) =>
      new TimeSpentContent(services, (message) => postTo(view, message), {
        again: (pair) => {
          const pid = pair?.time.waits.facts.waits?.pid;
          return vscode.commands.executeCommand(
            COMMANDS.watchTime,
            pid === undefined || pair?.cpu.capture.facts.isFromElsewhere === true ? undefined : { pid },
          );
        },
        choose: () => vscode.commands.executeCommand(COMMANDS.showTime),
      }),
    restored: (state) => void bringBack(state),
  });

  /** @param given a row of a view, or `{ pid?, host?, durationSeconds? }` */
  async function watch(given?: unknown): Promise<{ readonly cpu: vscode.Uri; readonly waits: vscode.Uri } | undefined> {
    const title = l10n.t("Where Processes Spend Their Time");
    const vm = await chosenVm(services, machines, given, title);
    if (vm === undefined) return undefined;
    const seconds = secondsOf(given) ?? (await chosenSeconds(title));
    if (seconds === undefined) return undefined;
    // Samples first, and last: so each look at who waits lies within them.
    const started: unknown = await vscode.commands.executeCommand(COMMANDS.attach, {
      pid: vm.pid,
      ...(vm.host === undefined ? {} : { host: vm.host }),
      durationSeconds: 0,
      isShownByCaller: true,
    });
    const cpu = namedCapture(started);
    if (cpu === undefined) return undefined;
    const inside = new InsideVms().open(vm, vm.helper);
    try {
      // The first look covers the time before it.
      await new Promise((resolve) => setTimeout(resolve, FIRST_LOOK_MS));
      const watched = await watchedWithProgress(inside, vm, seconds);
      await stop(cpu);
      const files = { cpu, waits: await keepWaits(context, watched, inside.target, vm) };
      // Both files are there, also where they cannot be shown together: the samples may have been stopped before the looks.
      await open(files).catch((error: unknown) => {
        explain(error, vm);
      });
      return files;
    } catch (error) {
      await stop(cpu);
      explain(error, vm);
      return undefined;
    } finally {
      inside.close();
    }
  }

  function explain(error: unknown, { pid, host }: { pid: number; host: HostAddress | undefined }): void {
    if (error instanceof UnreadableCapture) showUnreadable(error, log);
    else showError(error, log, { pid, host });
  }

  /** Stops this capture alone: the user may have stopped it in between, and begun another. */
  async function stop(cpu: vscode.Uri): Promise<void> {
    await vscode.commands.executeCommand(COMMANDS.stopCapture, { uri: cpu });
  }

  /** @param given a row of the view of captures, or `{ uri }`; @param rows all that are selected there */
  async function show(given?: unknown, rows?: unknown): Promise<PairOfFiles | undefined> {
    const named = (Array.isArray(rows) ? rows : [given])
      .map((row) => namedCapture(row))
      .filter((uri) => uri !== undefined);
    const files = await pairOf(named, await listed());
    if (files !== undefined) await open(files);
    return files;
  }

  async function open(files: PairOfFiles): Promise<void> {
    const pair = await openPair(files);
    panel.show(false).show(pair);
    panel.retitle();
  }

  async function bringBack(state: unknown): Promise<void> {
    try {
      const { cpu, waits } = (state ?? {}) as Partial<SavedState>;
      const files = { cpu: namedCapture({ uri: cpu }), waits: namedCapture({ uri: waits }) };
      if (files.cpu === undefined || files.waits === undefined) return;
      panel.content?.show(await openPair({ cpu: files.cpu, waits: files.waits }));
      panel.retitle();
    } catch (error) {
      log.info(`The captures that were shown before are not shown again: ${errorText(error)}`);
      panel.content?.say(errorText(error));
    }
  }

  context.subscriptions.push(
    registerReadingCommand(log, COMMANDS.watchTime, watch),
    registerReadingCommand(log, COMMANDS.showTime, show),
  );
}
