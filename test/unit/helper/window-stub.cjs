// As much of a window as starting helpers and connecting to hosts needs: events, progress and settings.

/* eslint-disable @typescript-eslint/no-require-imports -- an alias of `vscode` for bundles in CommonJS */

const { CancellationTokenSource, Emitter } = require("vscode-jsonrpc/node");
const editor = require("./editor-stub.cjs");

class CancellationError extends Error {}

/** @type {Record<string, unknown>} */
const settings = {};

/** Notifications that show work. @type {{title: string, cancel: () => void}[]} */
const progresses = [];

/** @param {{title: string}} options @param {(progress: unknown, token: unknown) => unknown} work */
async function withProgress({ title }, work) {
  const source = new CancellationTokenSource();
  const shown = { title, cancel: () => source.cancel() };
  progresses.push(shown);
  try {
    return await work({ report: () => {} }, source.token);
  } finally {
    progresses.splice(progresses.indexOf(shown), 1);
  }
}

/** @param {string} text @param {unknown[]} values */
const t = (text, ...values) => text.replace(/\{(\d+)\}/g, (_, index) => String(values[Number(index)]));

module.exports = {
  ...editor,
  CancellationError,
  CancellationTokenSource,
  EventEmitter: Emitter,
  ProgressLocation: { Notification: 15, Window: 10, SourceControl: 1 },
  env: { ...editor.env, language: "en" },
  l10n: { t },
  window: new Proxy(editor.window, {
    get: (known, name) => (name === "withProgress" ? withProgress : Reflect.get(known, name)),
  }),
  workspace: new Proxy(editor.workspace, {
    get: (known, name) => {
      if (name === "isTrusted") return true;
      if (name === "getConfiguration") return () => ({ get: (/** @type {string} */ key) => settings[key] });
      return Reflect.get(known, name);
    },
  }),
  /** The user's settings, by names without `extrospect.`. */
  settings,
  progresses,
};
