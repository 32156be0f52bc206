// eslint: a file imports only what its layer may (layers.mjs), and `vscode` only where it may be.
import { posix, relative, sep } from "node:path";
import { ROOT } from "../project.mjs";
import { layerOf, layerProblems } from "./layers.mjs";

const problems = layerProblems();
if (problems.length > 0) throw new Error(`scripts/lint/layers.mjs: ${problems.join("; ")}`);

/** A file with this statement at its top has to follow it, wherever it is. */
const PURE = /^\/\/.*No vscode in here\./m;

/** @type {import("eslint").Rule.RuleModule} */
export const importLayers = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      noLayer: "{{file}} belongs to no layer of scripts/lint/layers.mjs",
      layer: "{{from}} must not import {{to}} (scripts/lint/layers.mjs)",
      vscode: "{{from}} must not import vscode (scripts/lint/layers.mjs)",
      pure: "this file says at its top that there is no vscode in here",
    },
  },
  create(context) {
    const file = relative(ROOT, context.filename).split(sep).join("/");
    const layer = layerOf(file);
    const isPure = PURE.test(context.sourceCode.text.slice(0, 600));
    /** @param {import("eslint").Rule.Node} node @param {unknown} specifier */
    const check = (node, specifier) => {
      if (typeof specifier !== "string" || layer === undefined) return;
      if (specifier === "vscode") {
        if (layer.vscode !== true) context.report({ node, messageId: "vscode", data: { from: layer.path } });
        else if (isPure) context.report({ node, messageId: "pure" });
      }
      if (!specifier.startsWith(".") || specifier.endsWith(".css")) return;
      const imported = posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts");
      const to = layerOf(imported);
      if (to !== layer && (to === undefined || !layer.imports.includes(to.path)))
        context.report({ node, messageId: "layer", data: { from: layer.path, to: to?.path ?? imported } });
    };
    return {
      Program(node) {
        if (layer === undefined) context.report({ node, messageId: "noLayer", data: { file } });
      },
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => check(node, node.source?.value),
      ImportExpression: (node) => check(node, node.source.type === "Literal" ? node.source.value : undefined),
      TSImportType: (/** @type {any} */ node) => check(node, node.source?.value ?? node.argument?.literal?.value),
    };
  },
};
