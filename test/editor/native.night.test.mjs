// NIFs in C and in Rust: their own lines are hot in the same editor as the Erlang code that calls them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe } from "node:test";
import { until } from "../until.mjs";
import { nativeHotLines, runNativeProject } from "../vms/native.mjs";
import { scene } from "./scene.mjs";
import { sourcePane } from "./source-pane.mjs";
import { attach, cursorAt, goToLine, lensesShown, lensFigures, lensOf, lineElement, openFile } from "./workbench.mjs";

const PROJECT = "native-shop";

describe("a project with NIFs in C and in Rust", () => {
  /** @type {import("../vms/vm.mjs").RunningVm | undefined} */
  let vm;
  const here = scene({
    prepare: async (folder) => {
      vm = await runNativeProject(join(folder, PROJECT));
    },
    settings: { "extrospect.capture.frequencyHz": 499 },
  });
  after(() => vm?.kill());
  const { step } = here;

  step("the line of Erlang that calls a NIF has its own time", async () => {
    const { editor } = here;
    await openFile(editor, `${PROJECT}/src/shop_native.erl`);
    await attach(editor, vm?.pid ?? 0);
    await lensesShown(editor);
    await lensOf(editor, "shop_native:forever/1", (text) => lensFigures(text).samples > 0);
  });

  for (const { name, file, line } of nativeHotLines()) {
    step(`${file}: lenses above functions, marks on hot lines, also of functions that were inlined`, async () => {
      const { editor } = here;
      await openFile(editor, `${PROJECT}/${file}`);
      await goToLine(editor, line);
      const lens = await lensOf(editor, name, (text) => lensFigures(text).attribution === "own");
      assert.ok(
        lens.line < line && lens.line > line - 5,
        `the lens is on line ${String(lens.line)}, its function's hot line is ${String(line)}`,
      );
      await until("a mark on the hot line", async () =>
        (await sourcePane(editor.page)).marks.some((mark) => mark.line === line),
      );
      await editor.screenshot(`native-${name.replaceAll(/\W+/g, "-")}`);
    });
  }

  step("a hover leads from a hot line in C to the function it was put into", async () => {
    const { editor } = here;
    const { page } = editor;
    const [{ file, line } = { file: "", line: 0 }] = nativeHotLines();
    await openFile(editor, `${PROJECT}/${file}`);
    const hover = page.locator(".monaco-hover:visible", { hasText: /mixed[^]*% own [^]*Called from/ });
    await until("the hover", async () => {
      await page.mouse.move(5, 5);
      await (await lineElement(editor, line)).locator("span span").first().hover();
      await hover.waitFor({ timeout: 3_000 });
      return true;
    });
    await editor.screenshot("native-hover");
    await hover.locator("a", { hasText: "scored" }).first().click();
    await cursorAt(editor, { file: "shop_c.c", line: line + 6 });
  });

  step("nothing failed behind the scenes", async () => {
    await here.editor.command("Extrospect: Stop Capture");
    assert.doesNotMatch(here.editor.log(), /\[error\]/);
  });
});
