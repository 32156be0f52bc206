// One editor for the scenes of the gate. Each scene has a folder of its own; its steps stand alone as far as they can.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { explain } from "../../scripts/problem.mjs";
import { VSIX } from "../../scripts/project.mjs";
import { openWaits } from "../until.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";
import { startSharedEditor } from "./editor.mjs";

/** A step that takes this long reports where it is: no wait has a limit, and the end of a run reports nothing. */
const REPORT_MS = 60_000;

/** @typedef {import("./editor.mjs").Editor} Editor */
/** @typedef {import("./editor.mjs").EditorOptions} EditorOptions */

/**
 * @typedef {object} SceneOptions
 * @property {(folder: string) => void | Promise<void>} [prepare]   adds more to the folder, a copy of the demo project
 * @property {(scene: Scene) => Promise<void>} [begin]    after the folder was opened, also when it is opened anew after a failed step
 * @property {RegExp} [allowed]  errors in the log that the scene leads to
 * @property {(scene: Scene) => void} steps
 *
 * @typedef {object} Scene
 * @property {string} folder
 * @property {Editor} editor
 * @property {(name: string, run: () => Promise<void>) => void} step   one that needs none of the others
 * @property {(name: string, run: () => Promise<void>) => void} next   one that goes on where the step before it ended
 */

export class SharedEditor {
  /** @type {Editor | undefined} */
  #editor;

  /** To be called in the `describe` around all scenes. */
  constructor() {
    before(async () => {
      try {
        this.#editor = await startSharedEditor(VSIX);
      } catch (error) {
        // The report of a test has an error's message and nothing else of it.
        throw new Error(explain(error), { cause: error });
      }
    });
    after(() => this.#editor?.stop());
  }

  get #running() {
    assert.ok(this.#editor, "the editor does not run");
    return this.#editor;
  }

  /**
   * @param {string} name
   * @param {() => SceneOptions & Pick<EditorOptions, "settings" | "machineSettings" | "keybindings" | "trust">} define
   *   called in the scene's `describe`, to which its VMs belong
   */
  scene(name, define) {
    describe(name, () => {
      const { prepare, begin, allowed, steps, ...options } = define();
      const folder = demoWorkspace();
      const editor = () => this.#running;
      /** @type {Scene} */
      const here = {
        folder,
        get editor() {
          return editor();
        },
        step: (title, act) =>
          test(title, async () => {
            if (failed !== undefined) await watched(editor(), `anew, after “${failed}”`, open);
            await run(title, act);
          }),
        next: (title, act) =>
          test(title, async () => {
            if (failed !== undefined) assert.fail(`not reached: “${failed}” failed`);
            await run(title, act);
          }),
      };
      const open = async () => {
        await editor().openAnew({ folder, ...options });
        await editor().showViews();
        await begin?.(here);
      };
      before(async () => {
        await prepare?.(folder);
        await watched(editor(), `${name} begins`, open);
      });
      after(() => rmSync(folder, { recursive: true, force: true }));
      /** @type {string | undefined} */
      let failed;
      const run = async (/** @type {string} */ title, /** @type {() => Promise<void>} */ act) => {
        try {
          await watched(editor(), title, act);
          failed = undefined;
        } catch (error) {
          failed = title;
          await editor().keepEvidence(title);
          // A report of another machine has the message and no screenshot.
          if (error instanceof Error) error.message += `\nIn sight:\n${await editor().inSight()}`;
          throw error;
        }
      };
      steps(here);
      test("nothing failed behind the scenes", () => {
        const errors = editor()
          .log()
          .split("\n")
          .filter((line) => line.includes("[error]") && !allowed?.test(line));
        assert.deepEqual(errors, []);
        assert.deepEqual(editor().outside, [], "nothing uses the network");
        assert.deepEqual(editor().rewrittenSettings(), [], "settings of an older form");
      });
    });
  }
}

/**
 * Runs a step; one that takes long shows where it is.
 * @param {Editor} editor
 * @param {string} title
 * @param {() => Promise<void>} act
 */
async function watched(editor, title, act) {
  const startedMs = performance.now();
  const report = setInterval(async () => {
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    console.log(`“${title}” has run for ${String(seconds)} s.\n${openWaits()}In sight:\n${await editor.inSight()}`);
    await editor.keepEvidence(`open ${title}`);
  }, REPORT_MS);
  try {
    await act();
  } finally {
    clearInterval(report);
  }
}
