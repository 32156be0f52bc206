// What the views see of a session: the capture of its one VM, or those of several as one.

import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { joinedCapture, type JoinedCapture } from "../capture/joined-capture.js";
import type { Capture, ClockFacts } from "../capture/questions.js";
import type { OpenCapture } from "../captures/capture-store.js";
import { nameWithTime } from "../captures/capture-name.js";
import { openBytes } from "../captures/open-bytes.js";
import { TogetherCapture, togetherUri } from "../captures/together.js";
import { clockAheadMs, clockAtBothEnds } from "./clock-ahead.js";
import { LiveCapture } from "./live-capture.js";
import type { Member, RecordingGroup } from "./recording-group.js";
import type { Recording } from "./recording.js";

export type Clocks = ReadonlyMap<Recording, ClockFacts>;

export interface ShownSession {
  readonly opened: OpenCapture;
  /** What a node is called there. */
  nameOf(member: Member): string;
  /** Adds the samples that have arrived. @returns whether there were any */
  catchUp(): boolean;
  /** Reads the files that hold more than memory, after the end. `opened` is another one then. @throws when one cannot be read */
  readAnew(): Promise<void>;
  /**
   * Nothing arrives any longer.
   * @returns how far the clocks of other hosts are ahead, of those whose captures were ended from here
   */
  end(): Clocks;
}

export class ShownAlone implements ShownSession {
  #opened: LiveCapture;

  /** @param isElsewhere the VM has other files than this machine */
  constructor(
    private readonly member: Member,
    name: string,
    isElsewhere: boolean,
  ) {
    const { file, capture } = member.recording;
    const nowUnixMs = Date.now();
    const title = nameWithTime(name, nowUnixMs, { nowUnixMs, language: vscode.env.language });
    this.#opened = new LiveCapture(vscode.Uri.file(file), title, capture, isElsewhere);
  }

  get opened(): OpenCapture {
    return this.#opened;
  }

  nameOf({ name }: Member): string {
    return name;
  }

  catchUp(): boolean {
    return true;
  }

  async readAnew(): Promise<void> {
    const { needsWholeFile, file } = this.member.recording;
    if (!needsWholeFile) return;
    const { uri, title, isElsewhere } = this.#opened;
    this.#opened = new LiveCapture(uri, title, await openBytes(await readFile(file)), isElsewhere);
  }

  end(): Clocks {
    this.#opened.end();
    return new Map();
  }
}

export class ShownTogether implements ShownSession {
  readonly #names = new Map<Recording, string>();
  #opened: TogetherCapture;
  /** Captures that were read after the end. */
  readonly #whole = new Map<Recording, Capture>();

  /** @param nameOf what a VM calls itself: of two of the same name one is called otherwise in view */
  constructor(
    private readonly group: RecordingGroup,
    tag: string,
    nameOf: (member: Member) => string,
    { startedUnixMs, isElsewhere }: { readonly startedUnixMs: number; readonly isElsewhere: boolean },
  ) {
    const joined = joinedCapture();
    for (const member of group.members) {
      const { recording } = member;
      const ahead = () => clockAheadMs(recording, recording.isFar);
      this.#names.set(recording, joined.addNode(nameOf(member), recording.capture, ahead));
    }
    const files = new Map(group.members.map((member) => [this.nameOf(member), vscode.Uri.file(member.recording.file)]));
    const uri = togetherUri(tag, [...files.values()]);
    this.#opened = new TogetherCapture(uri, joined, files, { live: true, startedUnixMs, isElsewhere });
  }

  get opened(): OpenCapture {
    return this.#opened;
  }

  nameOf({ recording }: Member): string {
    return this.#names.get(recording) ?? "";
  }

  catchUp(): boolean {
    return this.#opened.capture.catchUp();
  }

  async readAnew(): Promise<void> {
    if (!this.group.members.some(({ recording }) => recording.needsWholeFile)) return;
    const known = this.#opened.capture.facts.nodes;
    const joined = joinedCapture();
    for (const member of this.group.members) {
      const { recording } = member;
      const capture = recording.needsWholeFile ? await openBytes(await readFile(recording.file)) : recording.capture;
      const name = this.nameOf(member);
      joined.addNode(name, capture, () => known?.find((node) => node.name === name)?.clockAheadMs ?? 0);
      this.#whole.set(recording, capture);
    }
    joined.catchUp();
    this.#opened = this.#shownBy(joined);
  }

  end(): Clocks {
    this.catchUp();
    // Before the listeners learn of the end: nothing draws the table of nodes after that.
    const clocks = this.#clocks();
    for (const member of this.group.members) {
      const clock = clocks.get(member.recording);
      if (clock !== undefined) this.#opened.capture.clockAtEnd(this.nameOf(member), clock.aheadAtEndMs);
    }
    this.#opened.end();
    return clocks;
  }

  #shownBy(joined: JoinedCapture): TogetherCapture {
    const { uri, files, isElsewhere } = this.#opened;
    return new TogetherCapture(uri, joined, files, {
      live: true,
      startedUnixMs: joined.facts.startedUnixMs,
      isElsewhere: isElsewhere ?? true,
    });
  }

  #clocks(): Clocks {
    const clocks = new Map<Recording, ClockFacts>();
    for (const { recording, end } of this.group.members) {
      if (end?.reason === "helperGone") continue;
      const { startRequested, stopRequested, isFar } = recording;
      const clock = clockAtBothEnds(
        { capture: this.#whole.get(recording) ?? recording.capture, startRequested, stopRequested },
        isFar,
      );
      if (clock !== undefined) clocks.set(recording, clock);
    }
    return clocks;
  }
}
