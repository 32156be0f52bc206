// What a reader of the summary does next. No vscode in here.

import type { CaptureTotals } from "../../../../contract/capture-answers.js";
import type { NextStep } from "../../../../contract/messages/summary.js";
import type { SampleClass } from "../../../../contract/protocol.generated.js";
import type { Words } from "../../../../contract/plain-text.js";
import { blameQueryOf, classWordsOf } from "../../../../contract/sample-classes.js";

export interface StepFacts {
  /** Of most busy samples; undefined when there are none. */
  readonly largest: SampleClass | null | undefined;
  /** Lines of the workspace are hot. */
  readonly hasLines: boolean;
  /** More than half of the time the VM had nothing to do. */
  readonly mostlyIdle: boolean;
  /** The capture names Erlang functions, and where they are. */
  readonly hasSources: boolean;
}

/** From this share of idle samples on, processor time is not the answer. */
const IDLE = 0.5;

export function isIdle({ samples, busy }: CaptureTotals): boolean {
  return samples - busy > IDLE * samples;
}

export function nextSteps({ largest, hasLines, mostlyIdle, hasSources }: StepFacts, words: Words): NextStep[] {
  const steps: NextStep[] = [];
  if (hasLines)
    steps.push({
      action: "hottestLine",
      label: words.t("Go to the Hottest Line"),
      help: words.t("Opens the source at the line with most samples."),
    });
  else if (hasSources)
    steps.push({
      action: "sourceRules",
      label: words.t("Name the Folder of the Sources…"),
      help: words.t(
        "No file of this workspace has hot lines: map the paths of the VM to a folder here, if they differ.",
      ),
    });
  if (largest !== undefined && blameQueryOf(largest) !== "")
    steps.push({
      action: "blame",
      label: words.t("Show the Causes: {0}", classWordsOf(words)(largest).label),
      help: words.t("Lists the Erlang functions that cause {0}.", classWordsOf(words)(largest).within),
    });
  if (mostlyIdle)
    steps.push({
      action: "waits",
      label: words.t("Show Where Processes Wait…"),
      help: words.t("The schedulers are mostly idle: the time goes to waiting, not to a processor."),
    });
  steps.push(
    {
      action: "flameGraph",
      label: words.t("Show the Flame Graph"),
      help: words.t("Shows whole stacks: Erlang, C code and kernel."),
    },
    {
      action: "top",
      label: words.t("Show All Hot Functions"),
      help: words.t("Lists every function with its own, self and total samples."),
    },
  );
  return steps;
}

/** How code that spends its time so becomes faster; empty where there is no rule. */
export function adviceFor(sampleClass: SampleClass | null | undefined, words: Words): string {
  switch (sampleClass) {
    case "gc":
      return words.t("Less garbage: build fewer intermediate lists and maps, or do the work in a short-lived process.");
    case "copy":
      return words.t("Less copying: send and look up smaller terms, or keep constant ones in persistent_term.");
    case "compare":
      return words.t("Cheaper comparisons: use small keys, and maps in place of searches in lists.");
    case "ets":
      return words.t("Cheaper tables: look up by the key in place of a scan, and select only the needed rows.");
    case "binary":
      return words.t("Cheaper binaries: append to the end of one binary, or build an iolist.");
    case "lock":
      return words.t("Fewer locks: spread the work over several tables or processes, or set read_concurrency.");
    case "alloc":
      return words.t("Fewer allocations: reuse large terms and binaries.");
    case "scheduler":
      return words.t("Less scheduling: send fewer and larger messages, and set fewer timers.");
    case "kernel":
      return words.t("Fewer system calls: read and write larger pieces.");
    default:
      return "";
  }
}
