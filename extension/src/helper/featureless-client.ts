// A language client that sends and receives messages, and does nothing else: nothing of documents or the workspace goes to the helper.

import {
  LanguageClient,
  type DynamicFeature,
  type InitializeParams,
  type StaticFeature,
} from "vscode-languageclient/node";

/**
 * The client's framing, life cycle, cancelling and tracing, without any feature of a language server: no document is
 * synchronised, no folder, file or setting is sent, and the helper cannot ask for one later.
 */
export class FeaturelessClient extends LanguageClient {
  /** A feature that is not registered declares no capability, watches no document and sends nothing. */
  override registerFeature(_feature: StaticFeature | DynamicFeature<unknown>): void {
    // Nothing: see above.
  }

  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities = {};
    // `rootPath` too is a place in the workspace, deprecated or not.
    Object.assign(params, { rootPath: null, rootUri: null, workspaceFolders: null });
  }

  // Who made a request shows its failure to the user. The client's own messages are for programmers, so they go to the log only.
  override error(message: string, data?: unknown): void {
    if (data === undefined) super.error(message, data, false);
    else this.outputChannel.debug(`${message} ${data instanceof Error ? data.message : ""}`);
  }

  override warn(message: string, data?: unknown): void {
    super.warn(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}
