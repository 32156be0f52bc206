// Where a function is heaviest in a flame graph.

import type { FlameData } from "./flame-data.js";

/** The heaviest frame of the function; -1 when it is not in the graph. */
export function heaviestFrame(data: FlameData, functionName: string): number {
  // Several functions may be shown by one name.
  const wanted = new Uint8Array(data.functionNames.length);
  for (let index = 0; index < wanted.length; index++)
    wanted[index] = data.functionNames[index] === functionName ? 1 : 0;
  let heaviest = -1;
  let total = 0;
  // The root and groups only carry a name; parents come first, so of equals the outermost wins.
  const groupDepth = data.groupedBy === "none" ? 0 : 1;
  for (let node = 1; node < data.nodeFunction.length; node++) {
    if (
      (data.nodeDepth[node] as number) <= groupDepth ||
      wanted[data.nodeFunction[node] as number] !== 1 ||
      (data.nodeTotal[node] as number) <= total
    )
      continue;
    heaviest = node;
    total = data.nodeTotal[node] as number;
  }
  return heaviest;
}
