// Just enough of an editor for the language client to run in, with a document and settings that change.

/** @typedef {(value: unknown) => void} Listener */

/** @type {Map<string, Listener[]>} */
const listeners = new Map();

/** @param {string} name */
const event = (name) => (/** @type {Listener} */ listener, /** @type {unknown} */ self) => {
  const all = listeners.get(name) ?? [];
  listeners.set(name, all);
  all.push(self === undefined ? listener : listener.bind(self));
  return { dispose: () => {} };
};

/** @param {string} path @returns {object} */
const uri = (path) => ({ scheme: "file", path, fsPath: path, toString: () => `file://${path}`, with: () => uri(path) });

const document = {
  uri: uri("/project/src/secret.erl"),
  languageId: "erlang",
  version: 1,
  isClosed: false,
  isDirty: false,
  fileName: "/project/src/secret.erl",
  getText: () => "-module(secret).",
  lineCount: 1,
  eol: 1,
};
const folder = { uri: uri("/project"), name: "project", index: 0 };

class Anything {
  event = () => ({ dispose: () => {} });
  fire = () => {};
  dispose = () => {};
}

/** @type {Record<string, unknown>} */
const workspace = {
  textDocuments: [document],
  notebookDocuments: [],
  workspaceFolders: [folder],
  getConfiguration: () => ({ get: (/** @type {string} */ _name, /** @type {unknown} */ otherwise) => otherwise }),
  getWorkspaceFolder: () => folder,
};

/** @type {Record<string, unknown>} */
const window = {
  tabGroups: { all: [], onDidChangeTabs: event("tabs") },
  activeTextEditor: { document },
  visibleTextEditors: [{ document }],
  showErrorMessage: (/** @type {string} */ message) => Promise.reject(new Error(message)),
};

/** @param {Record<string, unknown>} known */
function withEvents(known) {
  return new Proxy(known, {
    get: (target, name) =>
      target[String(name)] ?? (String(name).startsWith("on") ? event(String(name)) : () => new Anything()),
  });
}

const CLASSES = (
  "CallHierarchyItem CancellationError CancellationTokenSource CodeAction CodeActionKind CodeActionTriggerKind CodeLens CompletionItem " +
  "CompletionItemKind CompletionItemTag CompletionTriggerKind Diagnostic DiagnosticSeverity DiagnosticTag Disposable DocumentHighlightKind DocumentLink " +
  "EventEmitter FileType FoldingRangeKind InlayHint InlineCompletionTriggerKind NotebookCellKind SignatureHelpTriggerKind SymbolInformation SymbolKind " +
  "SymbolTag TabInputCustom TabInputNotebook TabInputText TabInputTextDiff TextDocumentSaveReason TypeHierarchyItem RelativePattern Range Position"
).split(" ");

module.exports = {
  ...Object.fromEntries(CLASSES.map((name) => [name, Anything])),
  version: "1.91.0",
  LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 },
  env: { appName: "Stub", language: "en" },
  Uri: { file: uri, parse: uri },
  languages: { match: () => 10, createDiagnosticCollection: () => new Anything() },
  window: withEvents(window),
  workspace: withEvents(workspace),
  /** Calls every listener. @param {string} name @param {unknown} value */
  fire: (name, value) => {
    for (const listener of listeners.get(name) ?? []) listener(value);
  },
  document,
  folder,
};
