// The texts of all panels of a capture. No vscode in here.

import type { Words } from "../../../../contract/plain-text.js";
import { captureRemark, noSamplesReason, noSamplesYet } from "../../captures/capture-remark.js";
import { importRemark } from "../../captures/import-remark.js";
import type { CaptureTexts } from "./shown-capture.js";

export function captureTexts(l10n: Words, language: string | undefined): CaptureTexts {
  return {
    noCapture: l10n.t("No capture is in view. Start a capture, or open a saved one."),
    noSamples: (facts) => noSamplesReason(facts, l10n, language),
    noSamplesYet: (facts) => noSamplesYet(facts, l10n, language),
    noSamplesLeft: l10n.t(
      "The end of this file is missing, and no sample comes before it: the recording or a copy was cut short. Record or copy it again.",
    ),
    remark: (facts) =>
      [importRemark(facts.imported, l10n, language), captureRemark(facts, l10n, language)]
        .filter((text) => text !== "")
        .join(". "),
    failed: (reason) =>
      l10n.t("This could not be computed: {0}\nThe log has more details (“Extrospect: Show Log”).", reason),
  };
}
