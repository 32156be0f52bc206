// Which program is started as helper, and whether it can be. No vscode in here.

import { accessSync, chmodSync, constants, existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Words } from "../../../contract/plain-text.js";
import type { StartBy } from "../setting-values.js";
import { errorText } from "../text/error-text.js";
import { HelperError } from "./helper-error.js";
import { correctSetting } from "./handshake.js";
import { INSTALLED_PROGRAM, installedCopy } from "./privileged-helper.js";

/** Platforms the extension brings a helper for. */
const BUNDLED_PLATFORMS = ["linux-x64"];
/** Neither may prompt for a password: its terminal has no user. */
const NEVER_ASKING = "-n";
/** Not there in the package that is for other platforms. */
const HELPER_FOLDER = "dist/helper";

export interface HelperPlace {
  /** What the user set; empty: the helper that comes with the extension. */
  readonly configured: string;
  /** Absolute path of a file of the extension. */
  readonly bundled: (relativePath: string) => string;
  /** The copy that root may have installed; null for root, who needs none. */
  readonly installed: string | null;
  /** What starts it; another than `itself` starts the installed copy, unless the user set another helper. */
  readonly startBy: StartBy;
  /** As `process.platform` and `process.arch` say, `linux-x64`. */
  readonly platform: string;
}

export interface ChosenProgram {
  readonly path: string;
  /** The program and arguments before it on the command line. */
  readonly startedBy: readonly string[];
  /** There is an installed copy of another version, which is not used. */
  readonly otherVersion: boolean;
}

/**
 * The program to start: by sudo or doas the installed copy, where the user has set so; else the one that the user set, else the copy that
 * root has installed when it is this very helper, which has rights; else the one that comes with the extension.
 * @throws {HelperError} when there is none that can be started; it states the remedy
 */
export function helperProgram(place: HelperPlace, l10n: Words): ChosenProgram {
  const configured = place.configured.trim();
  if (place.startBy !== "itself")
    return lentProgram(configured === "" ? INSTALLED_PROGRAM : configured, place.startBy, l10n);
  if (configured !== "") return { path: configuredProgram(configured, l10n), startedBy: [], otherVersion: false };
  const bundled = bundledProgram(place, l10n);
  const copy = place.installed === null ? "none" : installedCopy(place.installed, bundled);
  return {
    path: copy === "same" && place.installed !== null ? place.installed : bundled,
    startedBy: [],
    otherVersion: copy === "other",
  };
}

/**
 * The program that comes with the extension.
 * @throws {HelperError} when there is none that can be started; it states the remedy
 */
export function bundledProgram(place: HelperPlace, l10n: Words): string {
  if (!BUNDLED_PLATFORMS.includes(place.platform)) {
    throw new HelperError(
      "unsupported",
      l10n.t("Extrospect attaches to VMs on x86-64 Linux only"),
      l10n.t("this is {0}, which can open captures and attach to VMs on other hosts", place.platform),
      l10n.t(
        "Use *Start Capture on Another Host (ssh)…* or *Start Capture in a Container…*, or open this folder on such a machine (Remote - SSH, a container or WSL).",
      ),
    );
  }
  if (!existsSync(place.bundled(HELPER_FOLDER))) {
    throw new HelperError(
      "unsupported",
      l10n.t("This package of Extrospect has no helper for this machine"),
      l10n.t("it is for systems other than x86-64 Linux, to attach on other hosts and to open captures"),
      l10n.t(
        "Use *Start Capture on Another Host (ssh)…*, or install the package for {0} or {1}.",
        "linux-x64",
        "alpine-x64",
      ),
    );
  }
  const path = place.bundled(`${HELPER_FOLDER}/${place.platform}/extrospect`);
  const fix = l10n.t("Install the extension again, or set `extrospect.helper.path` to a helper you built.");
  mustBeFile(path, fix, l10n);
  if (!isExecutable(path)) {
    // Some archivers lose the bit.
    try {
      chmodSync(path, 0o755);
    } catch (error) {
      throw notRunnable(path, errorText(error), `chmod +x '${path}'`, l10n);
    }
  }
  return path;
}

/** Whether there can be no helper here: installing the same package again would fix nothing. */
export function isHelperMissing({ configured, bundled, platform }: HelperPlace): boolean {
  return configured.trim() === "" && (!BUNDLED_PLATFORMS.includes(platform) || !existsSync(bundled(HELPER_FOLDER)));
}

/** Whether we may read or start it ourselves does not matter. */
function lentProgram(path: string, startBy: string, l10n: Words): ChosenProgram {
  if (!isAbsolute(path)) throw notAbsolute(path, l10n);
  mustBeFile(
    path,
    l10n.t("Install it by *Install Privileged Helper*, or set `extrospect.helper.startBy` to `itself`."),
    l10n,
  );
  return { path, startedBy: [startBy, NEVER_ASKING], otherVersion: false };
}

function configuredProgram(path: string, l10n: Words): string {
  if (!isAbsolute(path)) throw notAbsolute(path, l10n);
  mustBeFile(path, correctSetting(l10n), l10n);
  // Not ours, so its mode stays as it is.
  if (!isExecutable(path)) {
    const command = `chmod +x '${path}'`;
    const run = l10n.t(
      "If it is the helper, run `{0}`; otherwise correct the setting `extrospect.helper.path`.",
      command,
    );
    throw new HelperError(
      "notRunnable",
      l10n.t("The helper {0} cannot be started", path),
      l10n.t("it may not be executed"),
      run,
      undefined,
      command,
    );
  }
  return path;
}

function notAbsolute(path: string, l10n: Words): HelperError {
  return new HelperError(
    "missing",
    l10n.t("The helper cannot be started"),
    l10n.t("the path in `extrospect.helper.path` is not absolute: {0}", path),
    correctSetting(l10n),
  );
}

function mustBeFile(path: string, fix: string, l10n: Words): void {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile)
    throw new HelperError(
      "missing",
      l10n.t("The helper cannot be started"),
      l10n.t("there is no program {0}", path),
      fix,
    );
}

function notRunnable(path: string, why: string, command: string, l10n: Words): HelperError {
  return new HelperError(
    "notRunnable",
    l10n.t("The helper {0} cannot be started", path),
    why,
    l10n.t("Run `{0}`", command),
    undefined,
    command,
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
