// The names of the kinds of frames.

import type { FrameKind } from "../../contract/protocol.generated.js";
import { l10n } from "./l10n.js";

export const KIND_WORDS: Record<FrameKind, string> = {
  erlang: l10n.t("Erlang"),
  bif: l10n.t("BIF"),
  fragment: l10n.t("JIT fragment"),
  native: l10n.t("C"),
  nif: l10n.t("NIF"),
  kernel: l10n.t("Kernel"),
  marker: l10n.t("Marker"),
};
