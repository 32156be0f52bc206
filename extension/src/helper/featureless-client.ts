// A language client that only talks: it knows nothing of documents and tells the helper nothing of the workspace.

import { LanguageClient, type DynamicFeature, type InitializeParams, type StaticFeature } from "vscode-languageclient/node";

/**
 * The client's framing, life cycle, cancelling and tracing, without any feature of a language server: no document is
 * synchronised, no folder, file or setting is told, and the helper cannot ask for it later either.
 */
export class FeaturelessClient extends LanguageClient {
  /** Features that are not registered fill no capability, hear of no document and send nothing. */
  override registerFeature(_feature: StaticFeature | DynamicFeature<unknown>): void {
    // Nothing: see above.
  }

  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities = {};
    // `rootPath` too is a place in the workspace, deprecated or not.
    Object.assign(params, { rootPath: null, rootUri: null, workspaceFolders: null });
  }

  // Whoever asked the helper for something says what went wrong; the client's own messages are for programmers.
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
