// Carriers of a snapshot: their addresses, their free memory, and their descriptions in words.

import type { CarrierPlace, MemoryResult } from "../../contract/protocol.generated.js";
import { size } from "./sizes.js";
import { STRINGS } from "./strings.js";

const PAGE_BYTES = 4096;

export function carrierAddress({ page }: CarrierPlace): string {
  return `0x${(page * PAGE_BYTES).toString(16)}`;
}

/** The same for as long as it is the same carrier. */
export function carrierKey({ page }: CarrierPlace): string {
  return `carrier ${String(page)}`;
}

/** Bytes in no block; null when that is not known. */
export function freeBytes({ bytes, usedBytes }: CarrierPlace): number | null {
  return usedBytes === null ? null : Math.max(bytes - usedBytes, 0);
}

/** The allocator of a carrier; empty for an index without one. */
export function allocatorName({ allocators }: MemoryResult, carrier: CarrierPlace): string {
  return allocators[carrier.allocator]?.name ?? "";
}

/** One sentence with all facts of a carrier. */
export function carrierText(memory: MemoryResult, carrier: CarrierPlace): string {
  const [name, address, bytes, used] = [
    allocatorName(memory, carrier),
    carrierAddress(carrier),
    size(carrier.bytes),
    size(carrier.usedBytes),
  ];
  return carrier.oneBlock
    ? STRINGS.oneBlockText(name, address, bytes, used)
    : STRINGS.carrierText(name, address, bytes, used, size(carrier.largestFreeBytes));
}
