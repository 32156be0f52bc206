// Comparing by the helper, in a process of its own that ends with its answer.

import { dirname } from "node:path";
import { startSilentProgram } from "../child-program.js";

const COMMAND = "editor-compare";

/**
 * Compares as the module does.
 * @param parts the request and the files of the captures, each with its length before it
 * @param signal ends the process
 * @returns the answer; undefined when the program does not run here, or ended without one
 * @throws {Error} when cancelled
 */
export async function comparedByHelper(
  helper: string,
  parts: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const answer = await new Promise<Uint8Array | undefined>((resolve) => {
    const child = startSilentProgram(helper, [COMMAND], {
      cwd: dirname(helper),
      killSignal: "SIGKILL",
      ...(signal && { signal }),
    });
    const output: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => output.push(piece));
    // It may end before it has read all.
    child.stdin.on("error", () => {});
    child.once("error", () => {
      resolve(undefined);
    });
    child.once("close", (code) => {
      resolve(code === 0 && output.length > 0 ? Buffer.concat(output) : undefined);
    });
    for (const part of parts) child.stdin.write(part);
    child.stdin.end();
  });
  if (signal?.aborted === true) throw new Error("cancelled");
  return answer;
}
