// What counts the work of a target, by the settings. No vscode in here.

import type { WorkCounter, WorkSource } from "../../../contract/protocol.generated.js";
import type { WorkMetric } from "../setting-values.js";

interface WorkSettings {
  readonly command: readonly string[];
  readonly metric: WorkMetric;
  readonly name: string;
}

/** Undefined when nothing is to be counted. Of both a command and a metric the command counts. */
export function workCounter({ command, metric, name }: WorkSettings): WorkCounter | undefined {
  const source = workSource(command, metric);
  if (source === undefined) return undefined;
  return { source, ...(name.trim() === "" ? {} : { name: name.trim() }) };
}

function workSource(command: readonly string[], { metric = "", url = "" }: WorkMetric): WorkSource | undefined {
  if (command.length > 0) return { type: "command", command: [...command] };
  return metric.trim() === "" || url.trim() === ""
    ? undefined
    : { type: "metric", metric: metric.trim(), url: url.trim() };
}
