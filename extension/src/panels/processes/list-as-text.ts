// The list as text, JSON or CSV: the shown lines, with the names of `extrospect ps --json`.

import type { CopyFormat, ShownLine } from "../../../../contract/messages/processes.js";

type Value = string | number | boolean | null;

/** Lines of groups have `group` and `processes`, those of processes `pid` and the known facts of it. */
export function listAsText(lines: readonly ShownLine[], format: CopyFormat): string {
  const rows = lines.map(rowOf);
  switch (format) {
    case "json":
      return `${JSON.stringify(rows, null, 2)}\n`;
    case "csv":
      return table(rows, ",", csvField);
    case "text":
      // Tabs are what spreadsheets and terminals put below each other; none is left in a text that was made visible.
      return table(rows, "\t", (value) => safeText(value));
  }
}

function rowOf(line: ShownLine): Record<string, Value> {
  const { process } = line;
  return {
    level: line.level,
    group: line.group,
    processes: line.count,
    pid: process?.pid ?? null,
    name: textOf(process?.name),
    label: textOf(process?.label),
    label_known: process?.labelKnown ?? null,
    initial_call: textOf(process?.initialCall),
    current: textOf(process?.current),
    place: textOf(process?.place),
    in_c: textOf(line.inC?.function),
    in_c_thread: textOf(line.inC?.thread),
    in_c_seconds: line.inC?.seconds ?? null,
    status: textOf(process?.status),
    priority: textOf(process?.priority),
    mailbox: line.mailbox,
    mailbox_at_least: line.mailboxAtLeast,
    memory: line.memory,
    memory_at_least: line.memoryAtLeast,
    message_bytes: line.messageBytes,
    heap_words: line.heapWords,
    heap_used_words: line.heapUsedWords,
    binary_bytes: line.binaryBytes,
    reductions_per_second: line.reductionsPerSecond,
    collections_per_second: line.collectionsPerSecond,
    parent: textOf(process?.parent),
    supervisor: line.supervisor,
    application: line.application,
    alarming: line.alarming,
  };
}

function textOf(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

function table(rows: readonly Record<string, Value>[], between: string, field: (value: Value) => string): string {
  const [first] = rows;
  if (first === undefined) return "";
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
  return `${lines.map((line) => line.map(field).join(between)).join("\n")}\n`;
}

/** A spreadsheet takes what begins like a formula for one, and names of a VM may: such texts begin with an apostrophe. */
function safeText(value: Value): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  return /^[=+\-@]/.test(value) ? `'${value}` : value;
}

function csvField(value: Value): string {
  const text = safeText(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
