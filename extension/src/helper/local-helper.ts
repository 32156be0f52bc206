// The helper on this machine: which program is started, and how.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { startProgram } from "../child-program.js";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { complaintOf } from "./complaint.js";
import { correctSetting } from "./handshake.js";
import { HelperError } from "./helper-error.js";
import {
  bundledProgram,
  helperProgram,
  isHelperMissing,
  type ChosenProgram,
  type HelperPlace,
} from "./helper-program.js";
import { Helper } from "./helper.js";
import { INSTALLED_PROGRAM } from "./privileged-helper.js";
import type { RunningProgram } from "./running-program.js";

export class LocalHelper extends Helper {
  readonly #foundOtherVersion = new vscode.EventEmitter<void>();
  #hasReportedOtherVersion = false;

  /** Root has installed a copy of another version, which is not used; fires once. */
  readonly onDidFindOtherVersion = this.#foundOtherVersion.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    log: vscode.LogOutputChannel,
  ) {
    super({ run: () => this.#run(log), startsByItself: true }, log, context.subscriptions);
    context.subscriptions.push(this.#foundOtherVersion);
  }

  /**
   * The helper that comes with the extension, whichever is used.
   * @throws {HelperError} when there is none
   */
  bundledProgram(): string {
    return bundledProgram(this.#place, vscode.l10n);
  }

  /**
   * The program that is started as helper.
   * @throws {HelperError} when there is none
   */
  program(): ChosenProgram {
    return helperProgram(this.#place, vscode.l10n);
  }

  /** Whether this package has no helper for this machine, and the user has named none. */
  get isMissing(): boolean {
    return isHelperMissing(this.#place);
  }

  get #place(): HelperPlace {
    return {
      configured: setting(SETTINGS.helperPath),
      bundled: (path) => this.context.asAbsolutePath(path),
      installed: process.getuid?.() === 0 ? null : INSTALLED_PROGRAM,
      startBy: setting(SETTINGS.helperStartBy),
      platform: `${process.platform}-${process.arch}`,
    };
  }

  async #run(log: vscode.LogOutputChannel): Promise<RunningProgram> {
    const program = this.program();
    if (program.otherVersion && !this.#hasReportedOtherVersion) {
      this.#hasReportedOtherVersion = true;
      this.#foundOtherVersion.fire();
    }
    const { path, startedBy } = program;
    log.info(`Starting ${[...startedBy, path].join(" ")}`);
    const child = await spawned(program);
    const complaint = complaintOf(child);
    const [starter] = startedBy;
    return {
      child,
      input: child.stdin,
      output: child.stdout,
      name: path,
      gone: (how) => how,
      endedEarly: (how) =>
        starter === undefined
          ? new HelperError(
              "noAnswer",
              vscode.l10n.t("The helper {0} did not start", path),
              how,
              correctSetting(vscode.l10n),
            )
          : notLent(starter, path, complaint() || how),
    };
  }
}

/** Waits until the program runs. The language client would report a failure to start it later, and less clearly. */
function spawned({ path, startedBy }: ChosenProgram): Promise<ChildProcessWithoutNullStreams> {
  return new Promise((resolve, reject) => {
    const [command = path, ...args] = [...startedBy, path, "serve", "--stdio"];
    const child = startProgram(command, args, { cwd: dirname(path) });
    child.once("spawn", () => {
      child.on("error", () => {});
      resolve(child);
    });
    child.once("error", (error) => {
      reject(
        new HelperError(
          "notRunnable",
          vscode.l10n.t("The helper {0} cannot be started", path),
          error.message,
          correctSetting(vscode.l10n),
        ),
      );
    });
  });
}

/** sudo or doas has refused, mostly since it would have to ask for a password. */
function notLent(starter: string, program: string, why: string): HelperError {
  const { l10n } = vscode;
  const fix =
    starter === "sudo"
      ? l10n.t(
          "Have root add the rule `{0}` (visudo), or set `extrospect.helper.startBy` to `itself`.",
          `USER ALL=(root) NOPASSWD: ${program}`,
        )
      : l10n.t(
          "Have root add the rule `{0}` (/etc/doas.conf), or set `extrospect.helper.startBy` to `itself`.",
          `permit nopass USER as root cmd ${program}`,
        );
  return new HelperError("notRunnable", l10n.t("{0} does not start the helper {1}", starter, program), why, fix);
}
