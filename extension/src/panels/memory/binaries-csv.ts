// Tables of binaries as comma-separated values, with the names of `extrospect binaries --json`.

import type { BinaryTableId } from "../../../../contract/messages/memory.js";
import type { BinariesResult, BinaryHolder } from "../../../../contract/protocol.generated.js";
import { csv } from "../../text/csv.js";

export function binariesCsv(table: BinaryTableId, { processes, binaries, kept, allocated }: BinariesResult): string {
  switch (table) {
    case "binaryHolders":
      return csv(
        ["pid", "name", "references", "binaries", "bytes", "own_bytes", "looked_into"],
        processes.map((row) => [
          row.pid,
          row.name,
          row.references,
          row.binaries,
          row.bytes,
          row.own_bytes,
          row.looked_into,
        ]),
      );
    case "binaryList":
      return csv(
        ["id", "bytes", "refc", "references", "other_references", "appended", "holders", "holders_left_out"],
        binaries.map((row) => [
          row.id,
          row.bytes,
          row.refc,
          row.references,
          row.other_references,
          row.appended,
          holderTexts(row.holders),
          row.holders_left_out,
        ]),
      );
    case "binariesKept":
      return csv(
        ["id", "bytes", "used_bytes", "refc", "references", "live_references", "holders", "holders_left_out"],
        kept.map((row) => [
          row.id,
          row.bytes,
          row.used_bytes,
          row.refc,
          row.references,
          row.live_references,
          holderTexts(row.holders),
          row.holders_left_out,
        ]),
      );
    case "binariesAllocated":
      return csv(
        ["by", "pid", "name", "ended", "library", "allocator", "blocks", "bytes"],
        allocated.by.map((row) => [
          row.by,
          row.pid,
          row.name,
          row.ended,
          row.library,
          row.allocator,
          row.blocks,
          row.bytes,
        ]),
      );
  }
}

function holderTexts(holders: readonly BinaryHolder[]): string {
  return holders.map(({ pid, name }) => (name === null ? pid : `${pid} ${name}`)).join("; ");
}
