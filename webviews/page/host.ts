// The editor's side of a page.

import type { PanelFollows } from "../../contract/messages/any-page.js";
import { isCaptureRemark, showCaptureRemark } from "./capture-remark.js";
import { isDocumentRequest } from "./document-request.js";
import { PanelState } from "./panel-state.js";

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

let acquired: EditorApi | undefined;

/** A page may request it only once. */
export function editorApi(): EditorApi {
  return (acquired ??= acquireVsCodeApi());
}

export interface Host<ToHost, State> {
  send(message: ToHost): void;
  /** The kept state, of this version or another. */
  saved(): Partial<State>;
  /** Kept by the editor with the panel, so that it comes back as it was. */
  save(state: State): void;
}

export function connectHost<ToWebview extends { readonly type: string }, ToHost, State extends object>(
  received: (message: ToWebview) => void,
): Host<ToHost, State> {
  const api = editorApi();
  const state = new PanelState<State>(api);
  addEventListener("message", (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (isDocumentRequest(message)) return;
    if (isCaptureRemark(message)) showCaptureRemark(message.text);
    else if (isPanelFollows(message)) state.setFollows(message.follows);
    else if (typeof message === "object" && message !== null && "type" in message) received(message as ToWebview);
  });
  return {
    send: (message) => api.postMessage(message),
    saved: () => state.saved(),
    save: (own) => state.save(own),
  };
}

function isPanelFollows(message: unknown): message is PanelFollows {
  return typeof message === "object" && message !== null && "type" in message && message.type === "panelFollows";
}
