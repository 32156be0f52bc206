// Commands that are offered to be profiled: those profiled before, tasks of the workspace, and what its files suggest. No vscode in here.

import type { SampleTypeId } from "../../../contract/sample-types.generated.js";

const MOST_RECENT = 10;
const MOST_CHARS = 4000;

/** A command line for a shell. */
export interface OfferedCommand {
  readonly line: string;
  /** Where it comes from. */
  readonly from: "recent" | "task" | "project";
  /** The task's name. */
  readonly task?: string;
  /** Absolute path of the folder it runs in; absent: the workspace folder. */
  readonly cwd?: string;
}

/** The known facts of a task of the workspace. */
export interface KnownTask {
  readonly name: string;
  /** A command line, or a program with its arguments. */
  readonly command: string | readonly string[];
  readonly cwd?: string | undefined;
}

/** Files at the top of a project, and the commands that run its tests. */
const SUGGESTED: readonly (readonly [file: string, commands: readonly string[]])[] = [
  ["mix.exs", ["mix test", "mix run --no-halt"]],
  ["rebar.config", ["rebar3 ct", "rebar3 eunit"]],
  ["erlang.mk", ["make tests"]],
];

/**
 * Each command line once, the most likely first.
 * @param recent the stored earlier ones, unchecked: any value is possible
 * @param folder absolute path of the workspace folder
 * @param files  names of the files at its top
 */
export function offeredCommands(
  recent: unknown,
  tasks: readonly KnownTask[],
  folder: string,
  files: readonly string[],
): OfferedCommand[] {
  const suggested = SUGGESTED.filter(([file]) => files.includes(file)).flatMap(([, commands]) => commands);
  const all = [
    ...recentCommands(recent).map((line): OfferedCommand => ({ line, from: "recent" })),
    ...tasks.flatMap((task) => ofTask(task, folder)),
    ...suggested.map((line): OfferedCommand => ({ line, from: "project" })),
  ];
  const byLine = new Map<string, OfferedCommand>();
  for (const command of all) if (!byLine.has(command.line)) byLine.set(command.line, command);
  return [...byLine.values()];
}

/** What to keep when this one was run. */
export function withRecent(recent: unknown, line: string): string[] {
  return [line, ...recentCommands(recent).filter((one) => one !== line)].slice(0, MOST_RECENT);
}

function recentCommands(recent: unknown): string[] {
  if (!Array.isArray(recent)) return [];
  return recent
    .filter((one): one is string => typeof one === "string" && one.trim() !== "" && one.length <= MOST_CHARS)
    .slice(0, MOST_RECENT);
}

function ofTask({ name, command, cwd }: KnownTask, folder: string): OfferedCommand[] {
  const line = withFolder(typeof command === "string" ? command : command.map(shellWord).join(" "), folder);
  const place = withFolder(cwd ?? folder, folder);
  // Other variables are the editor's to fill in, which it does only for tasks that it runs itself.
  if (line === undefined || place === undefined || line.trim() === "") return [];
  return [{ line, from: "task", task: name, ...(place !== folder && { cwd: place }) }];
}

/** @returns undefined when a variable is left in it */
function withFolder(text: string, folder: string): string | undefined {
  const filled = text.replaceAll("${workspaceFolder}", folder);
  return filled.includes("${") ? undefined : filled;
}

/** The text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Shells that take a command line after `-c`; another one is not used. */
const SHELLS = ["sh", "bash", "dash", "zsh", "ksh", "fish"];

/** The shell that runs a command line. @param preferred absolute path of the user's shell; may be anything */
export function shellFor(preferred: string): string {
  return preferred.startsWith("/") && SHELLS.includes(preferred.slice(preferred.lastIndexOf("/") + 1))
    ? preferred
    : "/bin/sh";
}

/** How a command is to be sampled. */
export interface CommandSampling {
  readonly frequencyHz: number;
  readonly includeKernel: boolean;
  readonly engine: string;
  readonly types: readonly SampleTypeId[];
}

/** The arguments of the helper that run a command line and write its capture to a file. */
export function recordArguments(
  { frequencyHz, includeKernel, engine, types }: CommandSampling,
  file: string,
  shell: string,
  line: string,
): string[] {
  const kernel = includeKernel ? ["--include-kernel"] : [];
  // The default is left out, so that a helper of an earlier version accepts the others.
  const events = types.every((type) => type === "cpu") ? [] : ["--event", types.join(",")];
  return [
    "record",
    "--frequency",
    String(frequencyHz),
    "--engine",
    engine,
    ...kernel,
    ...events,
    "--output",
    file,
    "--",
    shell,
    "-c",
    line,
  ];
}
