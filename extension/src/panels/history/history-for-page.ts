// A history as its page of its own has it: captures by the names of their files, words in English. No vscode in here.

import type { History, Skipped } from "../../../../contract/editor-module.generated.js";
import { ENGLISH } from "../../../../contract/english.js";
import { fileOf, namesIn, reasonText, unreadText, type LeftOut } from "./shown-history.js";

/** @param unreadable captures that were left out before it was made */
export function historyForPage(history: History, unreadable: readonly LeftOut[]): History {
  return {
    ...history,
    commits: history.commits.map((commit) => {
      const captures = commit.captures.map(fileOf);
      return { ...commit, captures, name: commit.commit === "" ? (captures[0] ?? "") : commit.name };
    }),
    series: history.series.map((series) => ({
      ...series,
      steps: series.steps.map((step) => ({ ...step, notes: step.notes.map(withFileNames) })),
      ...(series.unlike && { unlike: series.unlike.map(withFileNames) }),
    })),
    skipped: [...unreadable.map(unread), ...history.skipped].map(({ capture, reason }) => ({
      capture: fileOf(capture),
      reason,
      text: reasonText(reason, ENGLISH),
    })),
    ...(history.notes && { notes: history.notes.map(withFileNames) }),
    ...(history.doubts && { doubts: history.doubts.map(withFileNames) }),
  };
}

function unread({ capture, why }: LeftOut): Pick<Skipped, "capture" | "reason"> {
  return { capture, reason: { kind: "unreadable", value: unreadText(why, ENGLISH) } };
}

/** Its text with names of files in place of the addresses among its values. */
function withFileNames<Remark extends { readonly text: string; readonly values: readonly string[] }>(
  remark: Remark,
): Remark {
  const addresses = remark.values.flatMap(namesIn).filter((value) => value.includes("://"));
  return {
    ...remark,
    text: addresses.reduce((text, address) => text.replaceAll(address, fileOf(address)), remark.text),
  };
}
