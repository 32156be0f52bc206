// The editor's side of a page.

import { isCaptureRemark, showCaptureRemark } from "./capture-remark.js";
import { isDocumentRequest } from "./document-request.js";

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
  addEventListener("message", (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (isDocumentRequest(message)) return;
    if (isCaptureRemark(message)) showCaptureRemark(message.text);
    else if (typeof message === "object" && message !== null && "type" in message) received(message as ToWebview);
  });
  return {
    send: (message) => api.postMessage(message),
    saved: () => {
      const state = api.getState();
      return typeof state === "object" && state !== null ? state : {};
    },
    save: (state) => api.setState(state),
  };
}
