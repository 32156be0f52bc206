// Remedies for a VM whose inside cannot be read: the command that fixes it, or the VM that took its place.

import * as vscode from "vscode";
import type { InsideProblem, VmHead } from "../../../contract/messages/inside.js";
import { shownName } from "../../../contract/plain-text.js";
import { HelperError } from "../helper/helper-error.js";
import type { Helper } from "../helper/helper.js";
import { showError } from "../helper/show-error.js";
import { showInformationMessage } from "../messages/show-message.js";
import { refusedInContainer } from "../remote/container-rights.js";
import { mendingCommand } from "../targets/mending.js";
import { helperOf, type Machines } from "./chosen-vm.js";
import { insideProblem } from "./inside-problem.js";
import { isEndOfVm, type InsideVm, type InsideVms, type VmPlace } from "./inside-vm.js";
import { foundAmong, type KnownVm } from "./known-vm.js";
import { vmName } from "./vm-head.js";
import { listedVms } from "../targets/listed-vms.js";

/** Shows a VM in the calling panel. */
export type ShowsVm = (place: VmPlace) => unknown;

export class InsideRemedies {
  constructor(
    private readonly machines: Machines,
    private readonly vms: InsideVms,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** The problem as a page shows it, with the command that fixes it where there is one. */
  async problem(raised: unknown, { place: { pid, host } }: InsideVm): Promise<InsideProblem> {
    const error = refusedInContainer(raised, host, vscode.l10n);
    this.log.debug(`the inside of ${String(pid)}: ${String(raised)}`);
    // The fix for a machine does not help in a container; the end of a VM needs no fix.
    const mayHaveFix =
      error === raised &&
      error instanceof HelperError &&
      error.problem === "refused" &&
      error.command === undefined &&
      !isEndOfVm(error);
    return insideProblem(
      error,
      mayHaveFix ? await mendingCommand(await helperOf(this.machines, host), pid) : undefined,
    );
  }

  /**
   * The VM to show after a problem. One that was started again has another process id and the same name; where there is
   * none, a message states so.
   * @param show shows the one that has its process id now, if the user wants that
   */
  again(vm: InsideVm, problem: InsideProblem, show: ShowsVm): Promise<InsideVm | undefined> {
    return this.#opened(vm, (helper) =>
      problem.kind === "vmEnded" ? this.#found(vm, helper, show) : Promise.resolve(vm.place),
    );
  }

  /** The VM that a restored window has shown before, or the one of its name that runs now; else as above. */
  find(vm: KnownVm, show: ShowsVm): Promise<InsideVm | undefined> {
    return this.#opened(vm, (helper) => this.#found(vm, helper, show));
  }

  /** Shows that the panel shows another process from now on. */
  showAnother(now: VmHead): void {
    const { l10n } = vscode;
    const name = now.name === String(now.pid) ? l10n.t("Process {0}", now.pid) : now.name;
    void showInformationMessage(
      l10n.t("This is not the same VM: {0}, process {1}, has started since then.", name, now.pid),
    );
  }

  async #opened(vm: KnownVm, place: (helper: Helper) => Promise<VmPlace | undefined>): Promise<InsideVm | undefined> {
    const { pid, host } = vm.place;
    try {
      const helper = await helperOf(this.machines, host);
      const now = await place(helper);
      return now && this.vms.open(now, helper);
    } catch (error) {
      showError(error, this.log, { pid, host });
      return undefined;
    }
  }

  async #found(vm: KnownVm, helper: Helper, show: ShowsVm): Promise<VmPlace | undefined> {
    const { l10n } = vscode;
    const { pid, host } = vm.place;
    const { vm: found, inItsPlace } = foundAmong(await listedVms(helper), vm);
    if (found !== undefined) return { pid: found.pid, host };
    const name = vmName(vm);
    const gone =
      name === String(pid) ? l10n.t("Process {0} has not come back.", pid) : l10n.t("{0} has not come back.", name);
    if (inItsPlace === undefined) {
      void showInformationMessage(gone);
      return undefined;
    }
    const look = l10n.t("Read That One");
    // Nothing waits for the answer, which may never come.
    void showInformationMessage(
      `${gone} ${l10n.t("Process {0} is another VM now: {1}.", pid, shownName(inItsPlace.node ?? "", 200))}`,
      look,
    ).then((answer) => {
      if (answer === look) show({ pid, host });
    });
    return undefined;
  }
}
