// Tables of a look as comma-separated values, the first line names the columns.

import type { BinaryTableId, CopiedTable, MemoryShown } from "../../../../contract/messages/memory.js";
import { csv } from "../../text/csv.js";

export function csvOf(table: Exclude<CopiedTable, BinaryTableId>, shown: MemoryShown): string {
  const { memory, carriers, growth, trend } = shown;
  switch (table) {
    case "allocators":
      return csv(
        [
          "name",
          "carriers_bytes",
          "resident_bytes",
          "blocks_bytes",
          "largest_free_bytes",
          "fragmentation",
          "carriers",
          "pooled_carriers",
          "one_block_carriers_bytes",
        ],
        memory.allocators.map((row) => [
          row.name,
          row.carriers_bytes,
          row.resident_bytes,
          row.blocks_bytes,
          row.largest_free_bytes,
          row.fragmentation,
          row.carriers,
          row.pooled_carriers,
          row.one_block_carriers_bytes,
        ]),
      );
    case "carriers":
      return csv(
        ["allocator", "address", "bytes", "used_bytes", "largest_free_bytes", "one_block"],
        carriers.map((row) => [
          memory.allocators[row.allocator]?.name ?? "",
          carrierAddress(row.page),
          row.bytes,
          row.usedBytes,
          row.largestFreeBytes,
          row.oneBlock,
        ]),
      );
    case "ets":
      return csv(
        ["name", "named", "owner", "type", "items", "bytes", "protection", "grown_items", "grown_bytes"],
        memory.ets.map((row, index) => [
          row.name,
          row.named,
          row.owner,
          row.type,
          row.items,
          row.bytes,
          row.protection,
          growth[index]?.items ?? null,
          growth[index]?.bytes ?? null,
        ]),
      );
    case "code":
      return csv(
        ["module", "bytes", "literal_bytes"],
        (memory.code ?? []).map((row) => [row.module, row.bytes, row.literal_bytes]),
      );
    case "trend":
      return csv(
        [
          "time",
          "rss_bytes",
          "carriers_bytes",
          "blocks_bytes",
          "binary_bytes",
          "ets_bytes",
          "process_heaps_bytes",
          "outside_allocators_bytes",
        ],
        trend.map((point) => [
          new Date(point.atUnixMs).toISOString(),
          point.rss,
          point.carriers,
          point.blocks,
          point.binary,
          point.ets,
          point.heaps,
          point.outside,
        ]),
      );
  }
}

function carrierAddress(page: number): string {
  return `0x${(page * 4096).toString(16)}`;
}
