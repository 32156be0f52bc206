// The text that a page shows above the data of its capture, whatever the data is.

import type { CaptureRemark } from "../../contract/messages/any-page.js";
import { element } from "../elements/dom.js";

export function isCaptureRemark(message: unknown): message is CaptureRemark {
  return typeof message === "object" && message !== null && "type" in message && message.type === "captureRemark";
}

let shown: HTMLElement | undefined;

/** @param text empty for nothing */
export function showCaptureRemark(text: string): void {
  shown ??= element("aside", { class: "capture-remark" });
  if (shown.textContent !== text) shown.textContent = text;
  shown.hidden = text === "";
  if (!shown.isConnected) document.body.prepend(shown);
}
