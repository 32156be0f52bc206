// What captures in this window: one VM, or a group of them, and never both.

import type { GroupControl } from "./group-control.js";
import type { RecordingControl } from "./recording-control.js";

export class Recordings {
  constructor(
    readonly single: RecordingControl,
    readonly group: GroupControl,
  ) {}

  get isCapturing(): boolean {
    return this.single.isCapturing || this.group.isCapturing;
  }

  /** Ends what runs and waits until the files are complete. @returns the address of the capture in view of it */
  async stop(): Promise<Awaited<ReturnType<RecordingControl["stop"]>>> {
    return (await this.single.stop()) ?? (await this.group.stop());
  }
}
