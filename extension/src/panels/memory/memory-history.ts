// The readings while the panel is open, bounded: older ones are thinned out, so that all of the time stays in sight.

import type { TrendPoint } from "../../../../contract/messages/memory.js";
import type { MemoryResult, ResidentMemory } from "../../../../contract/protocol.generated.js";

const MOST_POINTS = 720;

/** Null also where only the segments that the VM keeps are not known: with them it would be more. */
function outsideAllocators(resident: ResidentMemory | null): number | null {
  const { unexplained_bytes: unexplained, cached_segments_bytes: kept } = resident ?? {};
  return typeof unexplained === "number" && typeof kept === "number" ? Math.max(unexplained - kept, 0) : null;
}

export class MemoryHistory {
  #points: TrendPoint[] = [];

  get points(): readonly TrendPoint[] {
    return this.#points;
  }

  add(atUnixMs: number, result: MemoryResult): void {
    const sum = (bytes: "carriers_bytes" | "blocks_bytes") =>
      result.allocators.reduce((all, allocator) => all + allocator[bytes], 0);
    const { binary, ets, process_heaps: heaps } = result.memory;
    this.#points.push({
      atUnixMs,
      rss: result.rss_bytes,
      carriers: sum("carriers_bytes"),
      blocks: sum("blocks_bytes"),
      binary,
      ets,
      heaps,
      outside: outsideAllocators(result.resident),
    });
    // Every second one goes; the first and the last stay, as changes are computed from them.
    if (this.#points.length > MOST_POINTS)
      this.#points = this.#points.filter((_, index) => index % 2 === 0 || index === this.#points.length - 1);
  }

  forget(): void {
    this.#points = [];
  }
}
