// A capture as a page of its own, with a flame graph, that opens in any browser: the page of `extrospect export --format html`.

import * as vscode from "vscode";
import { CaptureError } from "../capture/capture-error.js";
import { pageOfCapture } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { fileName } from "../text/base-name.js";
import { stemOf } from "./capture-file.js";
import type { CaptureStore } from "./capture-store.js";
import { shownType } from "./choose-type.js";
import { captureSize, profileBytes, UnreadableCapture } from "./open-capture.js";
import { savePage } from "./save-page.js";
import { unreadableWords } from "./unreadable-words.js";

/** Writes the page to a file that the user chooses. @throws {UnreadableCapture} */
export async function exportPage(uri: vscode.Uri, captures: CaptureStore): Promise<void> {
  const stem = stemOf(fileName(uri));
  await savePage({
    name: fileName(uri),
    stem,
    folder: vscode.Uri.joinPath(uri, ".."),
    make: async () => {
      await captureSize(uri);
      const profile = await profileBytes(uri);
      const shown = captures.get(uri)?.capture;
      const request = {
        title: stem,
        busy: setting(SETTINGS.percentOf) === "busy",
        ...(shown?.facts.types === undefined ? {} : { sample_type: shownType(shown) }),
      };
      const page = await pageOfCapture(moduleFiles(), request, profile);
      if (page instanceof Uint8Array) return page;
      const { why, fix } = unreadableWords(new CaptureError(page.problem, page.why), vscode.l10n);
      throw new UnreadableCapture(vscode.l10n.t("{0} cannot be shown", fileName(uri)), why, fix);
    },
  });
}
