// The way to the frame where a function is heaviest in a flame graph.

import type { FlameData } from "../../../../contract/flame-data.js";
import { heaviestFrame } from "../../../../contract/heaviest-frame.js";

/** Names from below the root to the heaviest frame of the function; null when it is not in the graph. */
export function heaviestPath(data: FlameData, functionName: string): string[] | null {
  const heaviest = heaviestFrame(data, functionName);
  if (heaviest < 0) return null;
  const path: string[] = [];
  for (let at = heaviest; at > 0; at = data.nodeParent[at] as number)
    path.push(data.functionNames[data.nodeFunction[at] as number] as string);
  return path.reverse();
}
