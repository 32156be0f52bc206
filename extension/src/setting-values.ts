// The type, the default and the valid values of each setting. No vscode in here.

import { ATTRIBUTIONS, PERCENT_OF, type Attribution, type PercentOf } from "../../contract/capture-answers.js";
import { MAX_FREQUENCY_HZ, type DebugFileWish, type EngineChoice } from "../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../contract/sample-types.generated.js";
import { SETTINGS } from "./contributions.js";

/** Which metric of which page counts work; without both of them none does. */
export interface WorkMetric {
  readonly metric?: string;
  readonly url?: string;
}

/**
 * The program that starts a helper: `sudo` and `doas` lend the installed copy to a user outside its group, by a rule of
 * root's.
 */
export type StartBy = "itself" | "sudo" | "doas";

/** By name, without the leading `extrospect.`. */
export interface SettingValues {
  readonly "helper.path": string;
  readonly "helper.startBy": StartBy;
  /** `ssh`, or another program that is called in the same way; empty: `ssh`. */
  readonly "remote.sshProgram": string;
  /** The same as `helper.startBy`, on the other host. */
  readonly "remote.startBy": StartBy;
  /** Where nodes run, by patterns of their names. */
  readonly "remote.nodeHosts": Readonly<Record<string, string>>;
  /** Commands that lead to a shell in a container, by name; each is looked at on its own, so that one with a mistake takes no other with it. */
  readonly "remote.commands": Readonly<Record<string, unknown>>;
  readonly "trace.server": "off" | "messages" | "verbose";
  readonly "capture.frequencyHz": number;
  readonly "capture.durationSeconds": number;
  readonly "capture.kernelFrames": boolean;
  /** The types of samples that captures have. */
  readonly "capture.types": readonly SampleTypeId[];
  /** How often the node as a whole is read during a capture. */
  readonly "capture.nodeEverySeconds": number;
  readonly "capture.workCommand": readonly string[];
  readonly "capture.workMetric": WorkMetric;
  readonly "capture.workName": string;
  readonly "capture.folder": string;
  readonly "capture.share": boolean;
  readonly "capture.keepAtMost": number;
  readonly "capture.keepDays": number;
  /** How many seconds before the condition held are recorded, at most. */
  readonly "recordWhen.beforeSeconds": number;
  /** For how many seconds the recording continues. */
  readonly "recordWhen.afterSeconds": number;
  /** After so many captures the watch of a VM ends. */
  readonly "recordWhen.maxFiles": number;
  readonly engine: EngineChoice;
  readonly "debuginfod.fetch": DebugFileWish | "never";
  readonly "debuginfod.servers": readonly string[];
  readonly "store.url": string;
  /** Messages that wait for a process, from which on it is alarming; 0: never. */
  readonly "inside.alarms.mailbox": number;
  /** Memory of a process in MB, from which on it is alarming; 0: never. */
  readonly "inside.alarms.memory": number;
  readonly "trust.minimumSamples": number;
  readonly "codeLens.enabled": boolean;
  readonly "codeLens.minimumPercent": number;
  readonly "heat.gutter": boolean;
  readonly "heat.overviewRuler": boolean;
  readonly "heat.lineBackground": boolean;
  readonly "heat.lineFigures": boolean;
  readonly "heat.scope": "file" | "capture";
  readonly "heat.minimumPercent": number;
  readonly attribution: Attribution;
  readonly percentOf: PercentOf;
  /** Conditions that comparisons judge. */
  readonly "compare.failIf": readonly string[];
  /** Whether the summary of a capture opens by itself. */
  readonly openSummary: boolean;
  readonly "ownCode.ignore": readonly string[];
  /** Folders by prefixes of the paths that a VM reports; each is looked at on its own, so that one with a mistake takes no other with it. */
  readonly sourcePrefixes: Readonly<Record<string, unknown>>;
}

export type SettingName = (typeof SETTINGS)[keyof typeof SETTINGS];

/** Before a condition holds, and after it; the limit of the helper. */
export const LONGEST_STRETCH_SECONDS = 3600;
/** Captures of one VM that is watched; the limit of the helper. */
export const MOST_FLIGHT_FILES = 1000;
/** The types of samples that the helper records. */
export const RECORDED_TYPES: readonly SampleTypeId[] = ["cpu", "off-cpu", "faults"];
export const ENGINES: readonly EngineChoice[] = ["auto", "bpf", "readv"];

/** The commands that lead to a shell in a container unless they are set otherwise, by name. */
const COMMAND_PRESETS: Readonly<Record<string, readonly string[]>> = {
  docker: ["docker", "exec", "--interactive", "{container}", "/bin/sh"],
  podman: ["podman", "exec", "--interactive", "{container}", "/bin/sh"],
  kubectl: [
    "kubectl",
    "exec",
    "--stdin",
    "--quiet",
    "--namespace={namespace?}",
    "{pod}",
    "--container={container?}",
    "--",
    "/bin/sh",
  ],
  "kubectl debug": [
    "kubectl",
    "debug",
    "--stdin",
    "--quiet",
    "--namespace={namespace?}",
    "{pod}",
    "--target={container}",
    "--image={image}",
    "--profile=general",
    "--custom={debugProfile}",
    "--",
    "/bin/sh",
  ],
  nsenter: ["nsenter", "--target={pid}", "--mount", "--pid", "--", "/bin/sh"],
  "nsenter (sudo)": ["sudo", "-n", "nsenter", "--target={pid}", "--mount", "--pid", "--", "/bin/sh"],
};

interface Setting<Value> {
  readonly usual: Value;
  fits(value: unknown): value is Value;
}

/** package.json repeats them for the editor; `npm run check` compares the two. */
export const SETTING_VALUES: { readonly [Name in SettingName]: Setting<SettingValues[Name]> } = {
  [SETTINGS.helperPath]: { usual: "", fits: isText },
  [SETTINGS.helperStartBy]: { usual: "itself", fits: isStarter },
  [SETTINGS.sshProgram]: { usual: "", fits: isText },
  [SETTINGS.remoteStartBy]: { usual: "itself", fits: isStarter },
  [SETTINGS.nodeHosts]: { usual: {}, fits: isTextsByName },
  [SETTINGS.remoteCommands]: { usual: COMMAND_PRESETS, fits: isObject },
  [SETTINGS.traceServer]: {
    usual: "off",
    fits: (value) => value === "off" || value === "messages" || value === "verbose",
  },
  [SETTINGS.frequencyHz]: { usual: 99, fits: isFrequency },
  [SETTINGS.durationSeconds]: { usual: 0, fits: isNotNegative },
  [SETTINGS.kernelFrames]: { usual: true, fits: isFlag },
  [SETTINGS.captureTypes]: { usual: ["cpu"], fits: isRecordedTypes },
  [SETTINGS.nodeEverySeconds]: { usual: 1, fits: isNodeInterval },
  [SETTINGS.workCommand]: { usual: [], fits: isArgumentList },
  [SETTINGS.workMetric]: { usual: {}, fits: isWorkMetric },
  [SETTINGS.workName]: { usual: "", fits: isText },
  [SETTINGS.captureFolder]: { usual: "", fits: isText },
  [SETTINGS.captureShare]: { usual: false, fits: isFlag },
  [SETTINGS.keepAtMost]: { usual: 0, fits: isCount },
  [SETTINGS.keepDays]: { usual: 0, fits: isNotNegative },
  [SETTINGS.whenBeforeSeconds]: { usual: 60, fits: isStretch },
  [SETTINGS.whenAfterSeconds]: { usual: 30, fits: isStretch },
  [SETTINGS.whenMaxFiles]: { usual: 10, fits: isFileCount },
  [SETTINGS.engine]: { usual: "auto", fits: isEngine },
  [SETTINGS.debuginfodFetch]: {
    usual: "environment",
    fits: (value) => value === "environment" || value === "always" || value === "never",
  },
  [SETTINGS.debuginfodServers]: { usual: [], fits: isTextList },
  [SETTINGS.storeUrl]: { usual: "", fits: isText },
  [SETTINGS.alarmMailbox]: { usual: 10_000, fits: isCount },
  [SETTINGS.alarmMemory]: { usual: 200, fits: isCount },
  [SETTINGS.minimumSamples]: { usual: 20, fits: isNotNegative },
  [SETTINGS.codeLens]: { usual: true, fits: isFlag },
  [SETTINGS.codeLensMinimumPercent]: { usual: 0.5, fits: isNotNegative },
  [SETTINGS.gutter]: { usual: true, fits: isFlag },
  [SETTINGS.overviewRuler]: { usual: true, fits: isFlag },
  [SETTINGS.lineBackground]: { usual: false, fits: isFlag },
  [SETTINGS.lineFigures]: { usual: false, fits: isFlag },
  [SETTINGS.heatScope]: { usual: "capture", fits: (value) => value === "file" || value === "capture" },
  [SETTINGS.heatMinimumPercent]: { usual: 0.3, fits: isNotNegative },
  [SETTINGS.attribution]: { usual: "own", fits: isAttribution },
  [SETTINGS.percentOf]: { usual: "busy", fits: isPercentOf },
  [SETTINGS.compareFailIf]: { usual: [], fits: isTextList },
  [SETTINGS.openSummary]: { usual: true, fits: isFlag },
  [SETTINGS.ownCodeIgnore]: {
    usual: [
      "**/deps/**",
      "**/_build/**",
      "**/_checkouts/**",
      "**/build/dev/**",
      "**/build/packages/**",
      "**/target/debug/**",
      "**/target/release/**",
    ],
    fits: isTextList,
  },
  [SETTINGS.sourcePrefixes]: { usual: {}, fits: isObject },
};

/** Settings can hold anything: what makes no sense counts as not set. */
export function settingValue<Name extends SettingName>(name: Name, value: unknown): SettingValues[Name] {
  const { usual, fits } = SETTING_VALUES[name] as Setting<SettingValues[Name]>;
  return fits(value) ? value : usual;
}

export function isFrequency(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_FREQUENCY_HZ;
}

export function isEngine(value: unknown): value is EngineChoice {
  return ENGINES.some((engine) => engine === value);
}

/** Each at most once. */
export function isRecordedTypes(value: unknown): value is readonly SampleTypeId[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((one) => RECORDED_TYPES.some((type) => type === one))
  );
}

/** A number of seconds, samples or percent. */
export function isNotNegative(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Seconds, as `record --every` takes them. */
function isNodeInterval(value: unknown): value is number {
  return isNotNegative(value) && value >= 0.1 && value <= 3600;
}

/** Seconds, as `record --before` and `--after` take them. */
function isStretch(value: unknown): value is number {
  return isNotNegative(value) && value >= 1 && value <= LONGEST_STRETCH_SECONDS;
}

/** Captures, as `record --max-files` takes them. */
function isFileCount(value: unknown): value is number {
  return isCount(value) && value >= 1 && value <= MOST_FLIGHT_FILES;
}

function isCount(value: unknown): value is number {
  return isNotNegative(value) && Number.isInteger(value);
}

function isPercentOf(value: unknown): value is PercentOf {
  return PERCENT_OF.some((percentOf) => percentOf === value);
}

export function isAttribution(value: unknown): value is Attribution {
  return ATTRIBUTIONS.some((attribution) => attribution === value);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => isText(each) && each !== "");
}

/** A program and its arguments, which may be empty. */
function isArgumentList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText) && value[0] !== "";
}

function isWorkMetric(value: unknown): value is WorkMetric {
  if (!isObject(value)) return false;
  const { metric, url }: Partial<Record<keyof WorkMetric, unknown>> = value;
  return [metric, url].every((text) => text === undefined || isText(text));
}

function isTextsByName(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isStarter(value: unknown): value is StartBy {
  return value === "itself" || value === "sudo" || value === "doas";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
