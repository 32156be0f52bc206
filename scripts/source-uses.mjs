// The uses in the extension's sources of the declarations of package.json: ids, and texts that can be translated.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./project.mjs";

const CONTRIBUTIONS = "extension/src/contributions.ts";
const SETTING_VALUES = "extension/src/setting-values.ts";
/** The effect of a call on the id that it is given. */
const ID_CALLS =
  /^(registerCommand|executeCommand|createTreeView|registerTreeDataProvider|registerCustomEditorProvider|affectsConfiguration|ThemeColor)$/;
const L10N_OWNERS = /^(l10n|words)$/;

/**
 * @typedef {object} SourceUses
 * @property {Map<string, string>} constants  `COMMANDS.attach` and so on, and where it is used first
 * @property {Map<string, string>} ids        `extrospect.…` handed to the editor as plain text, and where
 * @property {Set<string>} texts              every piece of text in the sources
 * @property {Map<string, string>} messages   the texts given to `l10n.t`, by the pages too, and where
 * @property {string[]} problems              calls that cannot be read
 */

/** @param {string} [root] @returns {SourceUses} */
export function sourceUses(root = ROOT) {
  /** @type {SourceUses} */
  const uses = { constants: new Map(), ids: new Map(), texts: new Set(), messages: new Map(), problems: [] };
  for (const file of filesBelow(join(root, "extension/src"), /\.ts$/)) {
    const path = `extension/src/${file}`;
    if (path === CONTRIBUTIONS || path === SETTING_VALUES || path.endsWith(".generated.ts")) continue;
    const source = ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (/** @type {ts.Node} */ node) => {
      noteNode(node, source, uses);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  for (const folder of ["contract", "webviews"]) {
    for (const file of filesBelow(join(root, folder), /\.ts$/)) {
      const path = `${folder}/${file}`;
      const source = ts.createSourceFile(path, readFileSync(join(root, path), "utf8"), ts.ScriptTarget.Latest, true);
      const visit = (/** @type {ts.Node} */ node) => {
        noteMessage(node, source, uses);
        ts.forEachChild(node, visit);
      };
      visit(source);
    }
  }
  for (const message of helperMessages(root)) uses.messages.set(message, HELPER_MESSAGES);
  return uses;
}

const HELPER_MESSAGES = "contract/protocol.generated.ts";

/**
 * The helper's messages: the English of every code of the protocol.
 * @param {string} root
 * @returns {string[]}
 */
function helperMessages(root) {
  const file = join(root, HELPER_MESSAGES);
  if (!existsSync(file)) return [];
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  /** @type {string[]} */
  const found = [];
  const visit = (/** @type {ts.Node} */ node, /** @type {boolean} */ isInside) => {
    const isTable = ts.isVariableDeclaration(node) && node.name.getText() === "HelperMessages";
    if (isInside && ts.isPropertyAssignment(node) && ts.isStringLiteralLike(node.initializer))
      found.push(node.initializer.text);
    ts.forEachChild(node, (child) => visit(child, isInside || isTable));
  };
  visit(source, false);
  return found;
}

/** @param {ts.Node} node @param {ts.SourceFile} source @param {SourceUses} uses */
function noteNode(node, source, uses) {
  const place = () => `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  if (ts.isStringLiteralLike(node)) uses.texts.add(node.text);
  if (
    ts.isPropertyAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    /^[A-Z]+$/.test(node.expression.text)
  ) {
    const name = `${node.expression.text}.${node.name.text}`;
    if (!uses.constants.has(name)) uses.constants.set(name, place());
  }
  if (
    ts.isIdentifier(node) &&
    /^[A-Z]+(_[A-Z]+)+$/.test(node.text) &&
    !ts.isImportSpecifier(node.parent) &&
    !uses.constants.has(node.text)
  )
    uses.constants.set(node.text, place());
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
  const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText();
  const [first, second] = node.arguments ?? [];
  const id =
    called === "executeCommand" && first !== undefined && ts.isStringLiteralLike(first) && first.text === "setContext"
      ? second
      : first;
  if (ID_CALLS.test(called) && id !== undefined && ts.isStringLiteralLike(id) && id.text.startsWith("extrospect."))
    uses.ids.set(id.text, place());
  const setting = settingRead(node);
  if (setting !== undefined) uses.ids.set(setting, place());
  noteMessage(node, source, uses);
}

/** @param {ts.Node} node @param {ts.SourceFile} source @param {SourceUses} uses */
function noteMessage(node, source, uses) {
  if (!ts.isCallExpression(node)) return;
  const place = () => `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const [first] = node.arguments;
  if (
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "t" &&
    L10N_OWNERS.test(lastName(node.expression.expression))
  ) {
    // The helper's messages are taken from their table as a whole, see `helperMessages`.
    if (first && ts.isElementAccessExpression(first) && first.expression.getText() === "HelperMessages") return;
    const message = first && textOf(first);
    if (message === undefined) uses.problems.push(`${place()}: what l10n.t is given must be plain text`);
    else if (!uses.messages.has(message)) uses.messages.set(message, place());
  }
}

/** The setting that `getConfiguration("extrospect").get("…")` reads. @param {ts.CallExpression | ts.NewExpression} node */
function settingRead(node) {
  const { expression } = node;
  const [name] = node.arguments ?? [];
  if (
    !ts.isPropertyAccessExpression(expression) ||
    !/^(get|update|inspect)$/.test(expression.name.text) ||
    !name ||
    !ts.isStringLiteralLike(name)
  )
    return undefined;
  const from = expression.expression;
  if (!ts.isCallExpression(from) || lastName(from.expression) !== "getConfiguration") return undefined;
  const [section] = from.arguments;
  return section && ts.isStringLiteralLike(section) ? `${section.text}.${name.text}` : undefined;
}

/** @param {ts.Expression} expression */
function lastName(expression) {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText();
}

/** @param {ts.Node} node @returns {string | undefined} when it is written out */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

/**
 * Colours the webviews use, by id; names that are put together end with `*`.
 * @param {string} [root]
 * @returns {Map<string, string>} and where
 */
export function webviewColours(root = ROOT) {
  /** @type {Map<string, string>} */
  const colours = new Map();
  for (const file of filesBelow(join(root, "webviews"), /\.(ts|css)$/)) {
    for (const match of readFileSync(join(root, "webviews", file), "utf8").matchAll(
      /--vscode-extrospect-([\w-]*)(\$\{)?/g,
    )) {
      const id = `extrospect.${match[1]}${match[2] ? "*" : ""}`;
      if (!colours.has(id)) colours.set(id, `webviews/${file}`);
    }
  }
  return colours;
}

/** @param {string} folder @param {RegExp} names */
function filesBelow(folder, names) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => names.test(file))
    .sort();
}

/**
 * The ids that the sources name by constants.
 * @returns {Promise<Record<string, unknown>>} the exports of contributions.ts
 */
export async function contributionIds(root = ROOT) {
  const { outputText } = ts.transpileModule(readFileSync(join(root, CONTRIBUTIONS), "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return { ...(await import(`data:text/javascript,${encodeURIComponent(outputText)}`)) };
}

/**
 * The value that the sources use for a setting that is not set, by its name in package.json.
 * @returns {Promise<Record<string, unknown>>}
 */
export async function settingDefaults(root = ROOT) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [SETTING_VALUES],
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "error",
  });
  /** @type {{SETTING_VALUES: Record<string, {usual: unknown}>}} */
  const values = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`);
  return Object.fromEntries(
    Object.entries(values.SETTING_VALUES).map(([name, { usual }]) => [`extrospect.${name}`, usual]),
  );
}
