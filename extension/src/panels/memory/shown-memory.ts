// A reading as its page shows it: foreign names are made visible and cut, and only texts in the form of a flag are
// offered as one.

import { shownName } from "../../../../contract/plain-text.js";
import type { MemoryResult, NativeLibrary } from "../../../../contract/protocol.generated.js";

const LONGEST_NAME = 255;
/** Words and pids of the helper, which may be one on another host. */
const LONGEST_WORD = 60;
/** `+MBlmbcs 512`. It can be copied to a command line, so it has to be nothing else. */
const FLAG = /^\+M[A-Z][a-z]{1,10} \d{1,10}$/;

export function shownMemory(result: MemoryResult): MemoryResult {
  const word = (text: string) => shownName(text, LONGEST_WORD);
  const { advice, allocators, code, ets, native_libraries: libraries } = result;
  return {
    ...result,
    allocators: allocators.map((row) => ({ ...row, name: word(row.name) })),
    ets: ets.map((row) => ({
      ...row,
      name: shownName(row.name, LONGEST_NAME),
      owner: word(row.owner),
      type: word(row.type),
      protection: word(row.protection),
    })),
    code: code?.map((row) => ({ ...row, module: shownName(row.module, LONGEST_NAME) })) ?? null,
    // An older helper has none.
    native_libraries: ((libraries as readonly NativeLibrary[] | undefined) ?? []).map(({ file, modules, drivers }) => ({
      file: word(file),
      modules: modules.map(word),
      drivers: drivers.map(word),
    })),
    advice: advice !== null && FLAG.test(advice.flag) ? { ...advice, allocator: word(advice.allocator) } : null,
  };
}
