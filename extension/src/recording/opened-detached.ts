// Detached captures that are open: each grows here while it records there.

import { appendFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { CaptureStore } from "../captures/capture-store.js";
import { captureTitle, summaryOf } from "../captures/capture-summary.js";
import { decoded } from "../captures/open-capture.js";
import { unreadableWords } from "../captures/unreadable-words.js";
import { COMMANDS } from "../contributions.js";
import type { DetachedGiven } from "../detached/detached-arguments.js";
import { isOngoing, knownDetached } from "../detached/detached-rows.js";
import { fetchDetached } from "../detached/fetch-detached.js";
import { followDetached, type FetchedSoFar } from "../detached/follow-detached.js";
import type { Cancellation, HelperConnection } from "../helper/helper-connection.js";
import { showWarningMessage } from "../messages/show-message.js";
import { errorText } from "../text/error-text.js";
import type { DetachedCopy, DetachedNotes } from "./detached-notes.js";
import { LiveCapture } from "./live-capture.js";
import { sharesFiles } from "./shared-files.js";

/** A look may fall into the moment in which a member is written. */
const MOST_FETCHES = 3;

/** The capture to fetch, and the path of its copy. */
export interface DetachedToOpen {
  readonly given: DetachedGiven;
  readonly helper: HelperConnection;
  /** Where the copy is kept; absolute path in a folder that is there. */
  readonly file: string;
}

export class OpenedDetached {
  readonly #deleted = new WeakSet<LiveCapture>();

  constructor(
    private readonly captures: CaptureStore,
    private readonly log: vscode.LogOutputChannel,
    private readonly notes: Pick<DetachedNotes, "noteIn">,
  ) {}

  /**
   * Puts the samples so far into the store, and follows the capture until it ends or is closed. One that is followed
   * stays as it is.
   */
  async open(
    toOpen: DetachedToOpen,
    token: Cancellation,
    onProgress: (bytes: number, of: number) => void,
  ): Promise<LiveCapture | undefined> {
    const uri = vscode.Uri.file(toOpen.file);
    const before = this.captures.get(uri);
    if (before instanceof LiveCapture && before.live) return before;
    const { given, helper, file } = toOpen;
    const listed = knownDetached((await helper.request("extrospect/detached/list", {}, token)).captures).find(
      ({ name }) => name === given.name,
    );
    const state = listed?.state;
    let fetched: FetchedSoFar;
    let shown: LiveCapture;
    let fetches = 0;
    do {
      fetched = await fetchDetached(helper, given.name, file, token, onProgress);
      shown = await this.#read(toOpen);
      fetches += 1;
    } while (isOngoing(state) && shown.capture.facts.isCut === true && fetches < MOST_FETCHES);
    const isFollowed = isOngoing(state) && shown.capture.facts.isCut !== true;
    if (!isFollowed) shown.end();
    this.captures.show(shown);
    const copy: DetachedCopy = { name: given.name, host: given.host, begunMs: listed?.begunMs, uri };
    // A growing file contains its commit itself; the notes of its end follow then.
    if (isFollowed) void this.#follow(toOpen, shown, { fetched, copy });
    else await this.notes.noteIn(copy);
    return shown;
  }

  /** It was deleted where it was recorded: the samples so far stay in view, and no further ones are requested. */
  deleted(file: string): void {
    const open = this.captures.get(vscode.Uri.file(file));
    if (!(open instanceof LiveCapture) || !open.live) return;
    this.#deleted.add(open);
    open.end();
    this.captures.updated(open);
  }

  async #follow(
    toOpen: DetachedToOpen,
    shown: LiveCapture,
    { fetched, copy }: { fetched: FetchedSoFar; copy: DetachedCopy },
  ): Promise<void> {
    const { given, helper, file } = toOpen;
    const isWanted = () => this.captures.get(shown.uri) === shown && !this.#deleted.has(shown);
    try {
      const end = await followDetached(helper, given.name, fetched, {
        grew: async (bytes) => {
          await appendFile(file, bytes);
          shown.capture.append(bytes);
          this.captures.updated(shown);
        },
        isWanted,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      });
      if (end === "left") return;
      this.log.info(`${given.name} has ended, and is read anew`);
      await fetchDetached(helper, given.name, file);
      const whole = await this.#read(toOpen);
      whole.end();
      shown.end();
      if (!isWanted()) return;
      this.captures.replace(whole);
      this.captures.updated(whole);
      await this.notes.noteIn(copy);
    } catch (error) {
      shown.end();
      if (!isWanted()) return;
      this.captures.updated(shown);
      this.log.warn(`${given.name} could not be followed: ${errorText(error)}`);
      void showWarningMessage(
        vscode.l10n.t(
          "{0} is no longer followed: {1}. The samples received so far stay in view; open it again to see more.",
          given.name,
          unreadableWords(error, vscode.l10n).why,
        ),
      );
    } finally {
      void vscode.commands.executeCommand(given.host === undefined ? COMMANDS.refreshTargets : COMMANDS.refreshHosts);
    }
  }

  async #read({ given, file }: DetachedToOpen): Promise<LiveCapture> {
    const uri = vscode.Uri.file(file);
    const capture = await decoded(uri);
    const isElsewhere = given.host !== undefined || !sharesFiles(capture.facts.target?.pid ?? 0);
    return new LiveCapture(
      uri,
      captureTitle(summaryOf(capture), given.name, vscode.env.language),
      capture,
      isElsewhere,
      true,
    );
  }
}
