// "Capture When…": watches VMs until a condition holds, and keeps the samples before and after as a capture.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import type { ErrorData, TargetFacts } from "../../../contract/protocol.generated.js";
import { captureFileName, freeName } from "../captures/capture-file.js";
import { activeFolder, folderForCapture } from "../captures/capture-folder.js";
import { commitOfFolder } from "../commits/workspace-commit.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { COMMANDS, CONTEXT, SETTINGS } from "../contributions.js";
import type { ExtensionServices } from "../extension-services.js";
import { HelperError } from "../helper/helper-error.js";
import { showError } from "../helper/show-error.js";
import { chosenVm, type ChosenVm, type Machines } from "../inside/chosen-vm.js";
import { errorInWords } from "../messages/helper-text.js";
import { showQuickPick, type PickerRow } from "../messages/pickers.js";
import { showInformationMessage, showWarningMessage, withCancellableProgress } from "../messages/show-message.js";
import type { DebugFiles } from "../recording/debug-files.js";
import { noteEnd } from "../recording/note-end.js";
import { recordable } from "../recording/recorded-types.js";
import { wantedCapture } from "../recording/wanted-capture.js";
import { addressKey, addressName, type HostAddress } from "../remote/host-address.js";
import { refusedInContainer } from "../remote/container-rights.js";
import { setting } from "../settings.js";
import { hostOf, pidOf } from "../targets/attach-arguments.js";
import { mendingCommand } from "../targets/mending.js";
import { targetName } from "../targets/target-description.js";
import { fileName } from "../text/base-name.js";
import { clock } from "../text/clock.js";
import { errorWords } from "../text/error-text.js";
import { ConditionBox, refusal } from "./condition-box.js";
import { flightArguments, type FlightArguments } from "./flight-arguments.js";
import type { KnownFile } from "./flight-facts.js";
import { FlightPlaces, type Refusal } from "./flight-places.js";
import { FlightStatus, type Watched } from "./flight-status.js";
import { flightEndText, stateText, writtenText } from "./flight-words.js";
import { Flight, type FlightEnd } from "./flight.js";

/** Each keeps past samples in memory, and takes new ones. */
const MOST_WATCHED = 4;

/** The command's result for a flight that was started. */
export interface StartedFlight {
  readonly pid: number;
  readonly condition: string;
}

export function registerFlight(services: ExtensionServices, machines: Machines, debugFiles: DebugFiles): void {
  const flights = new Flights(services, machines, debugFiles);
  services.context.subscriptions.push(
    flights,
    vscode.commands.registerCommand(COMMANDS.recordWhen, (given?: unknown) => flights.record(given)),
    vscode.commands.registerCommand(COMMANDS.stopRecordWhen, (given?: unknown) => flights.stop(given)),
  );
}

class Flights implements vscode.Disposable {
  readonly #places = new FlightPlaces<Watched>(MOST_WATCHED);
  readonly #status = new FlightStatus(() => this.#places.watched);
  readonly #box: ConditionBox;

  constructor(
    private readonly services: ExtensionServices,
    private readonly machines: Machines,
    private readonly debugFiles: DebugFiles,
  ) {
    this.#box = new ConditionBox(services.context.globalState);
  }

  /**
   * @returns the started flight; undefined when the user cancelled, or after a failure: then a message has stated the
   * reason
   */
  async record(given: unknown): Promise<StartedFlight | undefined> {
    const { l10n } = vscode;
    const { log } = this.services;
    let vm: ChosenVm | undefined;
    try {
      const usual = {
        beforeSeconds: setting(SETTINGS.whenBeforeSeconds),
        afterSeconds: setting(SETTINGS.whenAfterSeconds),
        maxFiles: setting(SETTINGS.whenMaxFiles),
      };
      const wanted = flightArguments(given, usual, l10n);
      const chosen = await chosenVm(this.services, this.machines, given, l10n.t("Capture When"));
      if (chosen === undefined) return undefined;
      vm = chosen;
      return await this.#places.start(
        keyOf(chosen.pid, chosen.host),
        (hold) => this.#watch(wanted, chosen, hold),
        (refusal) => this.#makeRoom(refusal, chosen),
      );
    } catch (raised) {
      const error = refusedInContainer(raised, vm?.host, l10n);
      const isRefused = error === raised && error instanceof HelperError && error.problem === "refused";
      const command = isRefused && vm !== undefined ? await mendingCommand(vm.helper, vm.pid) : undefined;
      showError(error, log, { command, pid: vm?.pid, host: vm?.host });
      return undefined;
    }
  }

  /** Ends the one of that VM; without a VM, the one that the user chooses. */
  async stop(given: unknown): Promise<void> {
    const pid = pidOf(given);
    const found = pid === undefined ? await this.#chosen() : this.#places.find(keyOf(pid, hostOf(given)));
    await found?.flight.stop();
  }

  dispose(): void {
    // They end with the helper, which completes their files.
    this.#status.dispose();
  }

  async #watch(
    wanted: FlightArguments,
    vm: ChosenVm,
    hold: (watched: Watched) => void,
  ): Promise<StartedFlight | undefined> {
    const condition = await this.#condition(wanted, vm);
    if (condition === undefined) return undefined;
    if (vm.host === undefined) await this.debugFiles.fetchFor(vm.pid);
    const watched = await this.#begin(wanted, vm, condition, hold);
    await this.#box.used(condition);
    this.#showBegun(watched);
    return { pid: vm.pid, condition };
  }

  async #condition({ when }: FlightArguments, { helper, pid }: ChosenVm): Promise<string | undefined> {
    const { l10n } = vscode;
    if (when === undefined) return this.#box.ask(helper, l10n.t("process {0}", pid));
    const why = await refusal(helper, when);
    if (why !== undefined)
      throw new HelperError(
        "refused",
        l10n.t("Not a condition: {0}", when),
        why,
        l10n.t("Use this form: {0}.", "mailbox>10000 or runqueue>20 or memory>8GB"),
      );
    return when.trim();
  }

  /** @returns whether the user has made room */
  async #makeRoom(refusal: Refusal<Watched>, { pid, host }: ChosenVm): Promise<boolean> {
    const { l10n } = vscode;
    if (refusal.why === "starting") {
      void showInformationMessage(
        l10n.t("Watching {0} is already starting.", withHost(l10n.t("process {0}", pid), host)),
      );
      return false;
    }
    const same = refusal.why === "watched" ? refusal.watched : undefined;
    const toStop = l10n.t("Stop Watching…");
    const text =
      same === undefined
        ? l10n.t("{0} VMs are already being watched, which is the limit.", MOST_WATCHED)
        : l10n.t("{0} is already watched for {1}.", same.name, same.flight.options.condition);
    if ((await showWarningMessage(text, toStop)) !== toStop) return false;
    const chosen = same ?? (await this.#chosen());
    if (chosen === undefined) return false;
    await chosen.flight.stop();
    this.#places.giveUp(chosen);
    return true;
  }

  async #begin(
    wanted: FlightArguments,
    { helper, host, pid }: ChosenVm,
    condition: string,
    hold: (watched: Watched) => void,
  ): Promise<Watched> {
    const { l10n } = vscode;
    const { context, log } = this.services;
    const { beforeSeconds, afterSeconds, maxFiles, durationSeconds } = wanted;
    const { work: _, includeKernel: wantsKernel, types, ...how } = wantedCapture(wanted);
    const folder = activeFolder();
    // Without a commit the capture is as good.
    const commit =
      folder === undefined ? Promise.resolve(undefined) : commitOfFolder(folder.uri).catch(() => undefined);
    const fileFor = async (target: TargetFacts): Promise<string> => {
      if (host !== undefined) void this.machines.hosts.remembered.sawMachine(host, target.host);
      const captures = await folderForCapture(context);
      return join(captures, captureFileName(target.node, target.pid, new Date(), (await commit)?.origin.commit));
    };
    const isFar = host !== undefined;
    const origin = commit.then((found) => found?.origin);
    const options = {
      ...how,
      pid,
      condition,
      beforeSeconds,
      afterSeconds,
      maxFiles,
      durationSeconds,
      fileFor,
      freeFile,
      origin,
    };
    return withCancellableProgress(l10n.t("Starting the capture of process {0}", pid), async (token) => {
      const includeKernel = wantsKernel && (await helper.capabilities())?.kernelFrames !== false;
      const flight: Flight = new Flight(
        { ...options, ...(await recordable(types, [helper])), includeKernel },
        { helper, isFar, now: () => performance.now(), problemText },
        {
          changed: () => {
            this.#status.refresh();
          },
          written: (file) => void this.#written(flight, file, isFar, commit),
          ended: (end) => {
            this.#ended(flight, end);
          },
        },
      );
      await flight.start(token);
      const watched = { flight, name: plainText(nameOf(flight, host), 80) };
      // It may have ended since.
      if (!flight.isEnded) hold(watched);
      this.#announce();
      log.info(`Watching ${watched.name}, process ${String(pid)}, until ${condition}`);
      return watched;
    });
  }

  #showBegun({ flight: { options }, name }: Watched): void {
    const { l10n } = vscode;
    const text = l10n.t(
      "{0} is watched until {1}. Until then, nothing is written. Watching ends with this window, and after {2} at the latest.",
      name,
      options.condition,
      clock(options.durationSeconds * 1000),
    );
    void showInformationMessage(text);
  }

  async #written(
    flight: Flight,
    file: KnownFile & { readonly path: string },
    isFar: boolean,
    commit: Promise<FolderCommit | undefined>,
  ): Promise<void> {
    const { l10n, env } = vscode;
    const { log } = this.services;
    this.#status.refresh();
    const uri = vscode.Uri.file(file.path);
    log.info(`Recorded ${fileName(uri)}: ${flight.options.condition} held`);
    await noteEnd({ files: [{ uri, isFar }], commit: await commit }, this.services);
    const open = l10n.t("Open");
    const name = this.#watchedBy(flight)?.name ?? nameOf(flight, undefined);
    if ((await showInformationMessage(writtenText(file, name, l10n, env.language), open)) === open)
      await vscode.commands.executeCommand(COMMANDS.openCapture, { uri });
  }

  #ended(flight: Flight, end: FlightEnd): void {
    const { l10n, env } = vscode;
    const watched = this.#watchedBy(flight);
    const name = watched?.name ?? nameOf(flight, undefined);
    if (watched !== undefined) this.#places.end(watched);
    this.#announce();
    this.services.log.info(`Stopped watching ${name}: ${end.reason} ${end.why}`);
    const note = flightEndText(end, name, flight.options.condition, l10n, env.language);
    if (note !== undefined) void (note.isTrouble ? showWarningMessage(note.text) : showInformationMessage(note.text));
  }

  async #chosen(): Promise<Watched | undefined> {
    const { l10n, env } = vscode;
    const rows = this.#places.watched.map((watched): PickerRow & { watched: Watched } => {
      const { flight, name } = watched;
      return {
        icon: flight.look?.isWriting === true ? "record" : "eye",
        label: name,
        description: flight.options.condition,
        detail: stateText(flight.look, flight.elapsedMs, l10n, env.language),
        watched,
      };
    });
    if (rows.length === 0) {
      void showInformationMessage(l10n.t("No VM is watched."));
      return undefined;
    }
    return (
      await showQuickPick(rows, {
        title: l10n.t("Stop Watching…"),
        placeHolder: l10n.t("Select a VM to stop watching; the capture in progress is kept"),
      })
    )?.watched;
  }

  #watchedBy(flight: Flight): Watched | undefined {
    return this.#places.watched.find((it) => it.flight === flight);
  }

  #announce(): void {
    this.#status.refresh();
    void vscode.commands.executeCommand("setContext", CONTEXT.watching, this.#places.watched.length > 0);
  }
}

function nameOf({ target, options }: Flight, host: HostAddress | undefined): string {
  return withHost(target === undefined ? String(options.pid) : targetName(target), host);
}

function withHost(name: string, host: HostAddress | undefined): string {
  return host === undefined ? name : `${name} (${addressName(host)})`;
}

/** Which VM it is. */
function keyOf(pid: number, host: HostAddress | undefined): string {
  return `${String(pid)} ${host === undefined ? "" : addressKey(host)}`;
}

/** A name beside that one which is free now. */
function freeFile(stem: string): string {
  const folder = dirname(stem);
  return join(
    folder,
    freeName(basename(stem), (name) => existsSync(join(folder, name))),
  );
}

function problemText(problem: unknown): string {
  if (typeof problem === "string" || problem instanceof Error) return plainText(errorWords(problem, vscode.l10n), 500);
  const words = errorInWords(problem as ErrorData, vscode.l10n);
  return plainText([words.what, words.why].filter((part) => part !== "").join(": "), 500);
}
