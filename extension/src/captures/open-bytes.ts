// From the bytes of a file to a capture, beside the editor's own thread.

import { join } from "node:path";
import type { Capture } from "../capture/questions.js";
import { openInThread } from "../capture/thread/open-in-thread.js";
import type { EventOfFile } from "../../../contract/editor-module.generated.js";
import { convertProfile } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";

/** How files begin that are pprof, compressed or not; profiles of other tools are text. */
const PPROF_BEGINS = [0x1f, 0x0a];

/** Chooses one event of a recording that has several. @returns its name; undefined when none was chosen */
export type ChooseEvent = (events: readonly EventOfFile[]) => Promise<string | undefined>;

export interface OpenOptions {
  /** By pid, instead of what the file calls them. */
  readonly processNames?: ReadonlyMap<string, string> | undefined;
  /** Without it a recording of several events is refused. */
  readonly chooseEvent?: ChooseEvent | undefined;
}

/** A recording of several events of which none was chosen. */
export class SeveralEvents extends Error {
  override readonly name = "SeveralEvents";

  constructor(readonly events: readonly EventOfFile[]) {
    super(`it has samples of several events: ${events.map(({ name }) => name).join(", ")}`);
  }
}

/** @param bytes not to be used afterwards @throws {CaptureError} when they are no capture, nor a profile of another tool @throws {SeveralEvents} */
export async function openBytes(bytes: Uint8Array, { processNames, chooseEvent }: OpenOptions = {}): Promise<Capture> {
  // Beside the bundle that this is in: see scripts/build-extension.mjs.
  return openInThread(await asPprof(bytes, chooseEvent), join(__dirname, "capture-thread.cjs"), processNames);
}

async function asPprof(bytes: Uint8Array, chooseEvent: ChooseEvent | undefined): Promise<Uint8Array> {
  const [first] = bytes;
  if (first === undefined || PPROF_BEGINS.includes(first)) return bytes;
  const { converted, profile } = await convertProfile(moduleFiles(), { event: null }, bytes);
  if (converted.type === "profile") return profile;
  if (converted.type !== "several_events") return bytes;
  const event = await chooseEvent?.(converted.events);
  if (event === undefined) throw new SeveralEvents(converted.events);
  const chosen = await convertProfile(moduleFiles(), { event }, bytes);
  return chosen.converted.type === "profile" ? chosen.profile : bytes;
}
