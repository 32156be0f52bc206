// The editor's side of the helper: its requests, its own modules, and its pages in Chromium. Nothing is made up.
import { RpcClient } from "../e2e/rpc-client.mjs";
import { until } from "../until.mjs";
import { bundled, startPanelPages } from "../webviews/panel-page.mjs";

/** As the editor has them in English. */
export const words = {
  t: (/** @type {string} */ message, /** @type {unknown[]} */ ...values) =>
    message.replace(/\{(\d+)\}/g, (_, index) => String(values[Number(index)])),
};
export const LANGUAGE = "en";

const MODULES = [
  "extension/src/capture/capture-model.ts",
  "extension/src/captures/capture-summary.ts",
  "extension/src/captures/quality.ts",
  "extension/src/captures/recorded-amount.ts",
  "extension/src/detached/detached-rows.ts",
  "extension/src/editor-module/editor-module.ts",
  "extension/src/helper/handshake.ts",
  "extension/src/helper/helper-error.ts",
  "extension/src/inside/inside-problem.ts",
  "extension/src/inside/inside-vm.ts",
  "extension/src/inside/known-vm.ts",
  "extension/src/inside/vm-head.ts",
  "extension/src/panels/blame/blame-session.ts",
  "extension/src/panels/capture-panel/capture-texts.ts",
  "extension/src/panels/compare/compare-session.ts",
  "extension/src/panels/compare/compared-rows.ts",
  "extension/src/panels/flame-graph/flame-session.ts",
  "extension/src/panels/memory/memory-session.ts",
  "extension/src/panels/processes/processes-session.ts",
  "extension/src/panels/stacks/stacks-session.ts",
  "extension/src/panels/summary/summary-session.ts",
  "extension/src/panels/time-spent/shown-time.ts",
  "extension/src/panels/time-spent/spent-time.ts",
  "extension/src/panels/top/top-session.ts",
  "extension/src/panels/waits/shown-waits.ts",
  "extension/src/panels/waits/watch-waits.ts",
  "extension/src/recording/recording.ts",
  "extension/src/recording/recording-environment.ts",
  "extension/src/recording/status-text.ts",
  "extension/src/text/error-text.ts",
  "extension/src/targets/doctor-report.ts",
  "extension/src/targets/listed-vms.ts",
  "extension/src/targets/target-description.ts",
  "extension/src/targets/target-order.ts",
];
/** @type {Promise<any> | undefined} */
let modules;

/** The modules of the extension, all of one bundle: an error of one is an error of the others. @returns {Promise<any>} */
export const extension = () => (modules ??= bundled(...MODULES));

/** Why captures cannot be compared: another module of that bundle has an export of the same name. @type {Promise<any> | undefined} */
let refusals;

/** @returns {Promise<any>} */
export const refusalWords = () => (refusals ??= bundled("extension/src/comparison/refusal-words.ts"));

/** Sends the helper's notifications on. */
class ListenedClient extends RpcClient {
  /** @type {(message: any) => void} */
  heard = () => {};

  /** @override @param {any} message */
  receive(message) {
    super.receive(message);
    if (message.method !== undefined) this.heard(message);
  }
}

/** A `HelperConnection` of the extension. */
export class EditorHelper {
  /** @type {Set<any>} */
  #listeners = new Set();
  #client;
  #own;

  /** @param {readonly string[]} wrapper @param {any} own modules of the extension */
  constructor(wrapper, own) {
    this.#own = own;
    this.#client = new ListenedClient({}, wrapper);
    this.#client.heard = ({ method, params }) => {
      const told = /** @type {Record<string, string>} */ ({
        "extrospect/capture/increment": "increment",
        "extrospect/capture/resync": "resync",
        "extrospect/capture/ended": "ended",
      })[method];
      if (told !== undefined) for (const listener of this.#listeners) listener[told](params);
    };
  }

  initialize() {
    const { INITIALIZATION_OPTIONS: initializationOptions } = this.#own;
    return this.#client.request("initialize", { processId: null, capabilities: {}, initializationOptions });
  }

  /** @param {string} method @param {unknown} params @returns {Promise<any>} */
  request = async (method, params) => {
    try {
      return await this.#client.request(method, params);
    } catch (error) {
      throw this.#own.refusalOf(error, words) ?? error;
    }
  };

  /** @param {any} listener */
  listen(listener) {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  end() {
    return this.#client.shutdown();
  }
}

/**
 * A page of the extension, with the session that fills it.
 * @param {string} name folder of webviews/
 * @param {(post: (message: unknown) => void) => {receive: (message: any) => unknown, dispose?: () => void}} sessionOf
 * @param {(hasDrawn: (...types: string[]) => Promise<void>, page: import("playwright-core").Page) => Promise<void>} shown resolves
 *   when the page has its content; `hasDrawn` waits until it has drawn a message of one of these types
 * @param {unknown} [state] that the editor kept of the page
 * @returns {Promise<string>} all of its text
 */
export async function pageText(name, sessionOf, shown, state) {
  const pages = await startPanelPages(name);
  /** @type {(message: unknown) => Promise<void>} */
  let tell = async () => {};
  /** @type {Set<string>} */
  const drawn = new Set();
  const session = sessionOf((message) => {
    void tell(message).then(() => drawn.add(/** @type {{type: string}} */ (message).type));
  });
  try {
    const { page } = await pages.open({
      state,
      host: (message, toPage) => {
        tell = toPage;
        void session.receive(message);
      },
    });
    const hasDrawn = async (/** @type {string[]} */ ...types) => {
      await until(`${name} has drawn ${types.join(" or ")}`, () => types.some((type) => drawn.has(type)));
    };
    await shown(hasDrawn, page);
    const text = await page.locator("body").innerText();
    await page.close();
    return text;
  } finally {
    session.dispose?.();
    await pages.stop();
  }
}
