// The texts of all panels of a capture. No vscode in here.

import type { Words } from "../../../../contract/plain-text.js";
import { importRemark } from "../../captures/import-remark.js";
import { kernelTimeRemark } from "../../captures/kernel-time.js";
import type { CaptureTexts } from "./shown-capture.js";

export function captureTexts(l10n: Words, language: string | undefined): CaptureTexts {
  return {
    noCapture: l10n.t("No capture is in view. Start a capture, or open a saved one."),
    noSamples: l10n.t(
      "This capture has no samples: the VM did nothing while it was recorded, or it was recorded too briefly.",
    ),
    noSamplesYet: l10n.t("No samples yet. They show up here as soon as the VM does something."),
    noSamplesLeft: l10n.t(
      "The end of this file is missing, and no sample comes before it: the recording or a copy was cut short. Record or copy it again.",
    ),
    remark: (facts) =>
      [importRemark(facts.imported, l10n, language), kernelTimeRemark(facts, l10n, language)]
        .filter((text) => text !== "")
        .join(". "),
    failed: (reason) =>
      l10n.t("This could not be computed: {0}\nThe log has more details (“Extrospect: Show Log”).", reason),
  };
}
