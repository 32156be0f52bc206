// The rules that keep the sources' folders apart find the mistakes that they are for: each is planted in the text of an
// existing file.
import assert from "node:assert/strict";
import { dirname, join, sep } from "node:path";
import { describe, test } from "node:test";
import { ESLint } from "eslint";
import ts from "typescript";
import { layerProblems } from "../../scripts/lint/layers.mjs";
import { ROOT } from "../../scripts/project.mjs";

/** Rules about imports need no types, which would be those of a whole part of the project, anew for each text. */
const WITHOUT_TYPES = {
  languageOptions: { parserOptions: { projectService: false } },
  rules: { "@typescript-eslint/no-floating-promises": /** @type {const} */ ("off") },
};

/**
 * The project's configuration, with the types of one text instead of all files of its part of the project.
 * @param {string} file @param {string} text   that imports nothing
 */
function withOwnTypes(file, text) {
  const path = join(ROOT, file);
  const found = ts.findConfigFile(dirname(path), ts.sys.fileExists, "tsconfig.json") ?? "";
  const { config } = ts.readConfigFile(found, ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [], files: [path] }, ts.sys, dirname(found));
  const options = { ...parsed.options, types: [] };
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (name) => (name.split("/").join(sep) === path ? text : readFile(name));
  const programs = [ts.createProgram([path], options, host)];
  return { languageOptions: { parserOptions: { projectService: false, programs } } };
}

describe("lint", () => {
  const withoutTypes = new ESLint({ cwd: ROOT, overrideConfig: WITHOUT_TYPES });

  /** @type {[string, {file: string, text: string, rule: string}][]} */
  const mistakes = [
    [
      "a page that imports the extension",
      {
        file: "webviews/top/app.ts",
        text: `import { openCapture } from "../../extension/src/capture/capture-model.js";\nvoid openCapture;\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "an extension that imports a page, be it only a type",
      {
        file: "extension/src/panels/top/top-session.ts",
        text: `import type { App } from "../../../../webviews/top/app.js";\nexport type Page = App;\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "a contract that imports the extension",
      {
        file: "contract/plain-text.ts",
        text: `export { clock } from "../extension/src/text/clock.js";\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "a contract that imports a page at run time",
      {
        file: "contract/plain-text.ts",
        text: `export const page = () => import("../webviews/top/app.js");\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "captures that know recording",
      {
        file: "extension/src/captures/capture-store.ts",
        text: `export type { Recording } from "../recording/recording.js";\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "targets that know captures",
      {
        file: "extension/src/targets/target-description.ts",
        text: `export type Store = import("../captures/capture-store.js").CaptureStore;\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "columns that know the tables made of them",
      {
        file: "extension/src/capture/columns/id-map.ts",
        text: `export { FunctionTable } from "../tables/function-table.js";\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "vscode in a folder without an editor",
      {
        file: "extension/src/capture/capture-model.ts",
        text: `import * as vscode from "vscode";\nvoid vscode.env.language;\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "vscode in a page",
      {
        file: "webviews/top/app.ts",
        text: `import type * as vscode from "vscode";\nexport type Place = vscode.Uri;\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "vscode in a file that is marked as free of it",
      {
        file: "extension/src/annotate/figures.ts",
        text: `// Figures. No vscode in here.\n\nimport type * as vscode from "vscode";\nexport type Place = vscode.Uri;\n`,
        rule: "extrospect/import-layers",
      },
    ],
    [
      "a circle of two files",
      {
        file: "extension/src/capture/columns/growing-numbers.ts",
        text: `import { IdMap } from "./id-map.js";\nexport class GrowingNumbers extends IdMap {}\n`,
        rule: "extrospect/import-circles",
      },
    ],
    [
      "a file that imports itself",
      {
        file: "extension/src/text/clock.ts",
        text: `export { clock } from "./clock.js";\n`,
        rule: "extrospect/import-circles",
      },
    ],
    [
      "a circle of types",
      {
        file: "webviews/graph/layout.ts",
        text: `import type { FlamePane } from "./pane.js";\nexport type Pane = FlamePane;\n`,
        rule: "extrospect/import-circles",
      },
    ],
  ];
  for (const [name, { file, text, rule }] of mistakes) {
    test(`${name} is found`, async () => {
      const [result] = await withoutTypes.lintText(text, { filePath: file });
      assert.ok(
        result?.messages.some(({ ruleId }) => ruleId === rule),
        JSON.stringify(result?.messages),
      );
    });
  }

  /** @type {[string, {file: string, text: string, rule: string}][]} */
  const mistakesByTypes = [
    [
      "a promise without a wait",
      {
        file: "extension/src/activate.ts",
        text: `export async function read(): Promise<void> {}\nexport function start(): void {\n  read();\n}\n`,
        rule: "@typescript-eslint/no-floating-promises",
      },
    ],
    [
      "a promise that a page does not wait for",
      {
        file: "webviews/top/app.ts",
        text: `export async function read(): Promise<void> {}\nexport function start(): void {\n  read();\n}\n`,
        rule: "@typescript-eslint/no-floating-promises",
      },
    ],
  ];
  for (const [name, { file, text, rule }] of mistakesByTypes) {
    test(`${name} is found`, async () => {
      const { languageOptions } = await new ESLint({ cwd: ROOT }).calculateConfigForFile(file);
      assert.equal(languageOptions.parserOptions.projectService, true, "npm run check has the types of all files");
      const eslint = new ESLint({ cwd: ROOT, overrideConfig: withOwnTypes(file, text) });
      const [result] = await eslint.lintText(text, { filePath: file });
      assert.ok(
        result?.messages.some(({ ruleId }) => ruleId === rule),
        JSON.stringify(result?.messages),
      );
    });
  }

  test("a file in a folder that the layers do not know is found", async () => {
    const [result] = await withoutTypes.lintText("export const here = 1;\n", {
      filePath: "extension/src/new-folder/new-file.ts",
    });
    assert.ok(
      result?.messages.some(({ message }) => message.includes("belongs to no layer")),
      JSON.stringify(result?.messages),
    );
  });

  test("layers build on what stands above them", () => {
    assert.deepEqual(layerProblems(), []);
    assert.deepEqual(
      layerProblems([
        { path: "a", imports: ["b"] },
        { path: "b", imports: ["a"] },
      ]),
      ["a may import b, which does not stand above it"],
    );
    assert.deepEqual(
      layerProblems([
        { path: "a", imports: [] },
        { path: "a", imports: [] },
      ]),
      ["a is there twice"],
    );
  });
});
