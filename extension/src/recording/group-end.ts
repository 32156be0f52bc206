// What is said, shown and kept of a group of captures when they end.

import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { plainText } from "../../../contract/plain-text.js";
import { joinedCapture } from "../capture/joined-capture.js";
import type { Capture, ClockFacts } from "../capture/questions.js";
import { appendClock, appendElsewhere, appendOrigin, appendUser } from "../captures/append-facts.js";
import type { CaptureStore } from "../captures/capture-store.js";
import { openBytes } from "../captures/open-bytes.js";
import { TogetherCapture } from "../captures/together.js";
import type { FolderCommit } from "../commits/folder-commit.js";
import { hashSources } from "../commits/source-hashes.js";
import { errorInWords } from "../messages/helper-text.js";
import { showWarningMessage } from "../messages/show-message.js";
import { errorText } from "../text/error-text.js";
import { clockAtBothEnds } from "./clock-ahead.js";
import type { RecordingSurroundings } from "./recording-control.js";
import type { Member, RecordingGroup } from "./recording-group.js";
import type { Recording, RecordingEnd } from "./recording.js";
import { endText } from "./status-text.js";

/** A group as it is shown. */
export interface ShownGroup {
  readonly group: RecordingGroup;
  /** In each of its files. */
  readonly tag: string;
  readonly commit: FolderCommit | undefined;
  shown: TogetherCapture;
  /** What each is called in the capture in view. */
  readonly names: ReadonlyMap<Recording, string>;
}

type Captures = ReadonlyMap<Recording, Capture>;
type Clocks = ReadonlyMap<Recording, ClockFacts>;

/** Only an end that nobody wanted is worth a message; the others go on. @returns when the user has heard of it: not when the window goes away */
export async function tellEnd({ name, recording }: Member, { reason, problem }: RecordingEnd, group: RecordingGroup, log: vscode.LogOutputChannel): Promise<void> {
  const l10n = vscode.l10n;
  if (recording.problem !== undefined) log.error(`The capture of ${name} could not be followed: ${recording.problem.message}`);
  const words = problem === null ? undefined : errorInWords(problem, l10n);
  const why = plainText([words?.what, words?.why].filter((part) => part !== undefined && part !== "").join(": "), 500);
  const { text, isTrouble } = endText(reason, why, name, recording.quality?.samples ?? 0, l10n, vscode.env.language);
  log.info(`${text} ${recording.file}`);
  if (!isTrouble) return;
  const others = group.running.length;
  const rest = others === 0 ? "" : others === 1 ? ` ${l10n.t("The other node goes on.")}` : ` ${l10n.t("The other {0} nodes go on.", others)}`;
  const showLog = l10n.t("Show Log");
  if ((await showWarningMessage(`${text}${rest}`, showLog)) === showLog) log.show(true);
}

/** What the helper left out is in the files: all captures as these have them, and what is shown of them. Undefined when nothing was left out, or a file cannot be read. */
export async function readAnew({ group, names, shown }: ShownGroup, log: vscode.LogOutputChannel): Promise<{ readonly whole: Captures; readonly shown: TogetherCapture } | undefined> {
  if (!group.members.some(({ recording }) => recording.needsWholeFile)) return undefined;
  const whole = new Map<Recording, Capture>();
  const joined = joinedCapture();
  try {
    for (const { recording } of group.members) {
      const capture = recording.needsWholeFile ? await openBytes(await readFile(recording.file)) : recording.capture;
      const name = names.get(recording) ?? "";
      const known = shown.capture.facts.nodes?.find((node) => node.name === name);
      joined.addNode(name, capture, () => known?.clockAheadMs ?? 0);
      whole.set(recording, capture);
    }
    joined.catchUp();
  } catch (error) {
    log.error(`A file could not be read after its end: ${errorText(error)}`);
    return undefined;
  }
  return { whole, shown: new TogetherCapture(shown.uri, joined, shown.files, { live: true, startedUnixMs: joined.facts.startedUnixMs, isElsewhere: shown.isElsewhere ?? true }) };
}

/** How far the clocks of other hosts are ahead, of those whose captures were ended from here. */
export function clocksAtEnd(group: RecordingGroup, whole: Captures | undefined): Clocks {
  const clocks = new Map<Recording, ClockFacts>();
  for (const { recording, end } of group.members) {
    if (end?.reason === "helperGone") continue;
    const { startAsked, stopAsked, isFar } = recording;
    const clock = clockAtBothEnds({ capture: whole?.get(recording) ?? recording.capture, startAsked, stopAsked }, isFar);
    if (clock !== undefined) clocks.set(recording, clock);
  }
  return clocks;
}

interface Keeping {
  readonly captures: CaptureStore;
  readonly log: vscode.LogOutputChannel;
  readonly surroundings: Pick<RecordingSurroundings, "sourceFiles">;
}

/** Each file says which group it is of, what its clock was, and what the sources were. */
export async function noteInFiles({ group, tag, commit, shown }: ShownGroup, clocks: Clocks, { captures, log, surroundings }: Keeping): Promise<void> {
  const sources = commit === undefined ? {} : await sourcesOf(commit, shown, { log, surroundings });
  for (const { recording, end } of group.members) {
    if (end?.reason === "helperGone") continue;
    const uri = vscode.Uri.file(recording.file);
    const clock = clocks.get(recording);
    try {
      if (recording.isFar) await appendElsewhere(uri, captures);
      if (clock !== undefined) await appendClock(uri, clock, captures);
      await appendUser(uri, { note: "", tags: [tag], pinned: false }, captures);
      if (commit !== undefined && Object.keys(sources).length > 0) await appendOrigin(uri, { ...commit.origin, sources }, captures);
    } catch (error) {
      log.warn(`${recording.file} does not say which group it is of: ${errorText(error)}`);
    }
  }
}

async function sourcesOf({ top, origin }: FolderCommit, shown: TogetherCapture, { log, surroundings }: Omit<Keeping, "captures">): Promise<Record<string, string>> {
  try {
    return await hashSources(top, await surroundings.sourceFiles(shown), origin.commit);
  } catch (error) {
    log.warn(`The sources were not noted: ${errorText(error)}`);
    return {};
  }
}
