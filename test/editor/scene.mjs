// The scene for the steps of a `describe`: a copy of the demo project, the editor on it, and the demo VM.
import { rmSync } from "node:fs";
import { after, before } from "node:test";
import { ERLANG_DEMO } from "../../scripts/demo-programs.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { explain } from "../../scripts/problem.mjs";
import { VSIX } from "../../scripts/project.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";
import { editorSteps, startEditor } from "./editor.mjs";

/** @typedef {import("../../scripts/demo-vm.mjs").Demo} Demo */
/** @typedef {import("./editor.mjs").Editor} Editor */

/**
 * To be called in a `describe`: set up before its steps, and taken down after them.
 * @param {Omit<import("./editor.mjs").EditorOptions, "folder"> & {demo?: boolean, program?: import("../../scripts/demo-programs.mjs").DemoProgram, prepare?: (folder: string) => void | Promise<void>}} options
 *   `demo`: whether the demo VM runs, without hurry: the editor would lack two busy processors; `program`: which demo
 *   it is, the Erlang one when absent; `prepare`: adds more to the folder
 */
export function scene({ demo: wantsDemo = false, program = ERLANG_DEMO, prepare, ...options } = {}) {
  const folder = demoWorkspace(program.project);
  /** @type {Editor | undefined} */
  let editor;
  /** @type {Demo | undefined} */
  let demo;
  before(async () => {
    await prepare?.(folder);
    try {
      if (wantsDemo) demo = await startDemo(program === ERLANG_DEMO ? ERLANG_DEMO.unhurried : program);
      editor = await startEditor({ folder, vsix: VSIX, ...options });
    } catch (error) {
      // The report of a test has an error's message and nothing else of it.
      throw new Error(explain(error), { cause: error });
    }
  });
  after(async () => {
    await editor?.stop();
    await demo?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    get editor() {
      return /** @type {Editor} */ (editor);
    },
    get demo() {
      return /** @type {Demo} */ (demo);
    },
    step: editorSteps(() => /** @type {Editor} */ (editor)),
  };
}
