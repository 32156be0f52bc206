// A capture as a page of its own, with a flame graph, that opens in any browser: the page of `extrospect export --format html`.

import * as vscode from "vscode";
import { pageOfCapture } from "../editor-module/editor-module.js";
import { moduleFiles } from "../editor-module/module-files.js";
import { SETTINGS } from "../contributions.js";
import { setting } from "../settings.js";
import { fileName } from "../text/base-name.js";
import { stemOf } from "./capture-file.js";
import { captureSize, profileBytes } from "./open-capture.js";
import { savePage } from "./save-page.js";

/** Writes the page to a file that the user chooses. @throws {UnreadableCapture} */
export async function exportPage(uri: vscode.Uri): Promise<void> {
  const stem = stemOf(fileName(uri));
  await savePage({
    name: fileName(uri),
    stem,
    folder: vscode.Uri.joinPath(uri, ".."),
    make: async () => {
      await captureSize(uri);
      const profile = await profileBytes(uri);
      const request = { title: stem, busy: setting(SETTINGS.percentOf) === "busy" };
      return pageOfCapture(moduleFiles(), request, profile);
    },
  });
}
