// The first step of every page: it requests its texts. Its other modules are imported only then, because most read
// texts while they are loaded.

import type { Translations, TranslationsRequest } from "../../contract/messages/any-page.js";
import { setTranslations } from "../words/l10n.js";
import { editorApi } from "./host.js";

/** @param start imports the page's modules and shows the page */
export async function startPage(start: () => Promise<void>): Promise<void> {
  const answered = new Promise<Translations>((resolve) => {
    const received = ({ data }: MessageEvent<Translations | null>) => {
      if (data?.type !== "translations") return;
      removeEventListener("message", received);
      resolve(data);
    };
    addEventListener("message", received);
  });
  const request: TranslationsRequest = { type: "translations" };
  editorApi().postMessage(request);
  setTranslations((await answered).texts);
  await start();
  const { answerDocumentRequests } = await import("./page-document.js");
  answerDocumentRequests((document) => editorApi().postMessage(document));
}
