// How a VM is named and described. No vscode in here.

import { count, decimal, memorySize, percent } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { errorLine } from "../messages/helper-text.js";
import { baseName } from "../text/base-name.js";

/** The node, else the release or application the command line names, else the program. */
export function targetName({ node, command, pid }: Pick<BeamRow, "node" | "command" | "pid">): string {
  return plainText(node ?? "", 80) || plainText(commandName(command), 80) || String(pid);
}

/** A VM as one of those that a machine lists. */
export interface ListedVm extends BeamRow {
  /** What distinguishes it from others of the same name ({@link withDifferences}). */
  readonly difference?: string;
}

/** `shop-2 · OTP 25 · 12 % CPU · pid 4242`, the container it is in, and why it cannot be attached to. */
export function targetDescription(beam: ListedVm, l10n: Words, language?: string): string {
  const parts = [
    beam.difference ?? "",
    beam.otp === null ? "" : l10n.t("OTP {0}", plainText(beam.otp, 20)),
    beam.cpuPct === null ? "" : l10n.t("{0} CPU", percent(beam.cpuPct, 100, language, "whole")),
    beam.pidInside === undefined
      ? l10n.t("pid {0}", beam.pid)
      : l10n.t("pid {0} ({1} inside)", beam.pid, beam.pidInside),
    beam.container === null ? "" : plainText(beam.container, 100),
    beam.attachable ? "" : plainText(refusalText(beam, l10n) ?? l10n.t("cannot be attached"), 200),
    beam.standstill === undefined ? "" : l10n.t("halted"),
    beam.standstillUnknown === undefined ? "" : l10n.t("whether it is halted is not known"),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** Of the row of a VM that ended. */
export function goneDescription({ pid }: Pick<BeamRow, "pid">, l10n: Words): string {
  return l10n.t("ended · pid {0}", pid);
}

/** Why it cannot be attached to, in the user's language; undefined when the helper does not say. */
export function refusalText({ refusal, reason }: Pick<BeamRow, "refusal" | "reason">, l10n: Words): string | undefined {
  return refusal === undefined ? (reason ?? undefined) : errorLine(refusal, l10n);
}

/** How many normal schedulers are online, of all. */
function schedulersText({ schedulers, schedulersOnline }: BeamRow, l10n: Words, language?: string): string | null {
  if (schedulers === null) return null;
  const all = count(schedulers, language);
  return schedulersOnline === undefined
    ? l10n.t("{0}; how many of them are online is not known", all)
    : l10n.t("{0} of {1} online", count(schedulersOnline, language), all);
}

/** Everything that is known of it, as Markdown. */
export function targetTooltip(beam: BeamRow, l10n: Words, language?: string): string {
  const inside = beam.containerFacts;
  const rows: [string, string | null | undefined][] = [
    [l10n.t("Process"), String(beam.pid)],
    [l10n.t("Process id inside"), beam.pidInside === undefined ? null : String(beam.pidInside)],
    [l10n.t("User"), beam.user === undefined ? String(beam.uid) : `${beam.user} (${beam.uid})`],
    [l10n.t("Working directory"), beam.workingDirectory ?? l10n.t("not known")],
    [l10n.t("OTP"), beam.otp],
    [l10n.t("Runtime system"), [beam.erts, beam.flavor].filter((part) => part !== null).join(", ")],
    [l10n.t("Schedulers"), schedulersText(beam, l10n, language)],
    [l10n.t("CPU, percent of a core"), beam.cpuPct === null ? null : decimal(beam.cpuPct, language, 1, 0)],
    [l10n.t("Programs below ports"), programsText(beam.portPrograms, l10n, language)],
    [l10n.t("Container"), beam.container],
    [l10n.t("Container id"), inside?.id],
    [l10n.t("Image"), inside?.image],
    [l10n.t("Pod"), inside?.pod ?? inside?.podUid],
    [l10n.t("Namespace of the pod"), inside?.namespace],
    [l10n.t("Command"), beam.command],
  ];
  const table = rows
    .filter(([, value]) => (value ?? "") !== "")
    .map(([name, value]) => `| ${escapeMarkdown(name)} | ${escapeMarkdown(plainText(value ?? "", 400))} |`);
  const refusal = beam.attachable
    ? []
    : [escapeMarkdown(plainText(refusalText(beam, l10n) ?? l10n.t("Extrospect cannot attach to it."), 600)), ""];
  const halt = beam.standstill ?? beam.standstillUnknown;
  const standstill = halt === undefined ? [] : [escapeMarkdown(plainText(errorLine(halt, l10n), 600)), ""];
  return [
    `**${escapeMarkdown(targetName(beam))}**`,
    "",
    ...refusal,
    ...standstill,
    "| | |",
    "|:--|:--|",
    ...table,
  ].join("\n");
}

/** They are processes of their own: nothing of them is in the figures of the VM. */
function programsText(used: BeamRow["portPrograms"], l10n: Words, language?: string): string {
  if (used === undefined) return l10n.t("not known");
  if (used.processes === 0 && used.cpuMs === 0) return l10n.t("none");
  return l10n.t(
    "{0} running, {1} s of processor time so far, {2}",
    count(used.processes, language),
    decimal(used.cpuMs / 1000, language, 2),
    memorySize(used.rssBytes, language),
  );
}

/**
 * What a command line runs: the node it names, the release it boots, the Mix task, the module or application it starts,
 * the application whose code it adds, else the program.
 */
export function commandName(command: string): string {
  const words = command
    .slice(0, 4000)
    .split(/\s+/)
    .filter((word) => word !== "");
  const after = (flag: string) => {
    const at = words.indexOf(flag);
    const word = at < 0 ? undefined : words[at + 1];
    return word === undefined || word.startsWith("-") ? undefined : word;
  };
  const named = after("-sname") ?? after("-name");
  if (named !== undefined) return named;
  const release = after("-boot");
  const releaseName = release === undefined ? undefined : /([^/\\]+)[/\\]releases[/\\]/.exec(release)?.[1];
  if (releaseName !== undefined) return releaseName;
  const mix = words.findIndex((word) => /(?:^|[/\\])(?:mix|iex)$/.test(word));
  if (mix >= 0)
    return words
      .slice(mix, mix + 2)
      .map(baseName)
      .filter((word) => !word.startsWith("-"))
      .join(" ");
  const started = after("-s") ?? after("-run");
  if (started !== undefined) return started;
  const application = /application:ensure_all_started\(\s*'?([\w@]+)/.exec(command.slice(0, 4000))?.[1];
  if (application !== undefined) return application;
  const added = words
    .map((word) => /([^/\\]+)[/\\]ebin[/\\]?$/.exec(word)?.[1])
    .filter((name) => name !== undefined && name !== "*");
  if (added[0] !== undefined) return added[0];
  return baseName(words[0] ?? "");
}

/** Flags that every VM has, and a secret one; each with its argument. */
const LEFT_OUT = new Set(["-root", "-bindir", "-progname", "-home", "-setcookie"]);

/** The words of a command line that distinguish one VM from another: without the program and the flags of every VM. */
export function distinguishingWords(command: string): string[] {
  const words = command
    .slice(0, 4000)
    .split(/\s+/)
    .filter((word) => word !== "");
  return words
    .slice(1)
    .filter((word, at, all) => word !== "--" && !LEFT_OUT.has(word) && !LEFT_OUT.has(all[at - 1] ?? ""));
}

/** As many words as a row has room for. */
const MOST_DIFFERENT_WORDS = 4;

/** Numbers of folders that a row has room for. */
const LENGTHS = [1, 2, 3, 4];

/**
 * The same VMs. Those of one name have the end of their working directory, and where that is not known or another of
 * them has the same, the words that not all their command lines share. One that only its program names has its last
 * folder.
 */
export function withDifferences(beams: readonly BeamRow[]): ListedVm[] {
  const byName = new Map<string, BeamRow[]>();
  for (const beam of beams) {
    const name = targetName(beam);
    const namesakes = byName.get(name);
    if (namesakes === undefined) byName.set(name, [beam]);
    else namesakes.push(beam);
  }
  const differences = new Map([...byName.values()].flatMap(differencesOf));
  return beams.map((beam) => {
    const difference = differences.get(beam) ?? "";
    return difference === "" ? beam : { ...beam, difference };
  });
}

function differencesOf(namesakes: readonly BeamRow[]): (readonly [BeamRow, string])[] {
  if (namesakes.length < 2) return namesakes.map((beam) => [beam, plainText(folderOfUnnamed(beam), 60)] as const);
  const folders = foldersThatDiffer(namesakes.map(({ workingDirectory }) => workingDirectory));
  const uses = usesOf(folders);
  const words = wordsThatDiffer(namesakes.map(({ command }) => command));
  return namesakes.map((beam, at) => {
    const folder = folders[at] ?? "";
    const isOnlyOne = !uses.has("") && uses.get(folder) === 1;
    const parts = [plainText(folder, 60), isOnlyOne ? "" : plainText(words[at] ?? "", 60)];
    return [beam, parts.filter((part) => part !== "").join(" · ")] as const;
  });
}

/** The last folder of the working directory of a VM that has no other name than that of its program. */
function folderOfUnnamed({ node, command, workingDirectory = "" }: BeamRow): string {
  const [program = ""] = command.trimStart().split(/\s/, 1);
  return node === null && commandName(command) === baseName(program) ? baseName(workingDirectory) : "";
}

function usesOf(texts: readonly string[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const text of texts) uses.set(text, (uses.get(text) ?? 0) + 1);
  return uses;
}

/** The end of each path, as short as it distinguishes them; empty for all where there is one path alone. */
function foldersThatDiffer(paths: readonly (string | undefined)[]): string[] {
  const different = [...new Set(paths.filter((path) => path !== undefined))];
  if (different.length < 2) return paths.map(() => "");
  const end = (path: string, length: number) => path.split("/").slice(-length).join("/") || "/";
  const isEnough = (length: number) => new Set(different.map((path) => end(path, length))).size === different.length;
  const length = LENGTHS.find(isEnough) ?? Math.max(...LENGTHS);
  return paths.map((path) => (path === undefined ? "" : end(path, length)));
}

/** The first words of each command line that not all of them have. */
function wordsThatDiffer(commands: readonly string[]): string[] {
  const words = commands.map((command) => new Set(distinguishingWords(command)));
  const uses = usesOf(words.flatMap((own) => [...own]));
  return words.map((own) =>
    [...own]
      .filter((word) => (uses.get(word) ?? 0) < commands.length)
      .slice(0, MOST_DIFFERENT_WORDS)
      .join(" "),
  );
}

/** Attachable ones first, the busiest on top. */
export function byUsefulness(beams: readonly ListedVm[]): ListedVm[] {
  return [...beams].sort(
    (a, b) => Number(b.attachable) - Number(a.attachable) || (b.cpuPct ?? 0) - (a.cpuPct ?? 0) || a.pid - b.pid,
  );
}
