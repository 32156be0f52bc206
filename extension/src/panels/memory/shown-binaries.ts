// A look at binaries as its page shows it: names of others are made visible and cut.

import { shownName } from "../../../../contract/plain-text.js";
import type { BinariesResult, BinaryHolder } from "../../../../contract/protocol.generated.js";

const LONGEST_NAME = 255;
/** Pids and addresses, and words of the helper, which may be one on another host. */
const LONGEST_WORD = 60;

export function shownBinaries(result: BinariesResult): BinariesResult {
  const word = (text: string) => shownName(text, LONGEST_WORD);
  const name = (text: string | null) => (text === null ? null : shownName(text, LONGEST_NAME));
  const who = <Row extends BinaryHolder>(row: Row): Row => ({ ...row, pid: word(row.pid), name: name(row.name) });
  const { processes, binaries, kept, allocated } = result;
  return {
    ...result,
    processes: processes.map(who),
    binaries: binaries.map((row) => ({ ...row, id: word(row.id), holders: row.holders.map(who) })),
    kept: kept.map((row) => ({ ...row, id: word(row.id), holders: row.holders.map(who) })),
    allocated: {
      ...allocated,
      // An older helper has none.
      not_managed: ((allocated.not_managed as readonly string[] | undefined) ?? []).map(word),
      by: allocated.by.map((row) => ({
        ...row,
        allocator: word(row.allocator),
        pid: row.pid === null ? null : word(row.pid),
        name: name(row.name),
        library: name(row.library),
      })),
    },
  };
}
