// A test that shows what was to be seen when it failed.
import { test } from "node:test";

const LOG_LINES = 40;

/** @param {() => import("./editor.mjs").Editor} editorOf @returns {(name: string, run: () => Promise<void>) => void} */
export function stepOf(editorOf) {
  return (name, run) =>
    void test(name, async () => {
      try {
        await run();
      } catch (error) {
        const editor = editorOf();
        await editor?.screenshot(`failed-${name.slice(0, 60).replaceAll(/[^a-z0-9]+/gi, "-")}`).catch(() => {});
        console.log(editor?.log().split("\n").slice(-LOG_LINES).join("\n"));
        throw error;
      }
    });
}
