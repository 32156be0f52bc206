// The request for the page as a document, which no page handles itself.

import type { DocumentRequest } from "../../contract/messages/any-page.js";

export function isDocumentRequest(message: unknown): message is DocumentRequest {
  return typeof message === "object" && message !== null && "type" in message && message.type === "document";
}
