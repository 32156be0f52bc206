// The editor's side of the page.

import type { SavedState, ToHost, ToWebview } from "./messages.js";

interface EditorApi {
  postMessage(message: ToHost): void;
  getState(): Partial<SavedState> | undefined;
  setState(state: SavedState): void;
}

declare function acquireVsCodeApi(): EditorApi;

export interface Host {
  readonly send: (message: ToHost) => void;
  readonly saved: () => Partial<SavedState>;
  readonly save: (state: SavedState) => void;
}

export function connectHost(received: (message: ToWebview) => void): Host {
  const api = acquireVsCodeApi();
  addEventListener("message", (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (typeof message === "object" && message !== null && "type" in message) received(message as ToWebview);
  });
  return { send: (message) => api.postMessage(message), saved: () => api.getState() ?? {}, save: (state) => api.setState(state) };
}
