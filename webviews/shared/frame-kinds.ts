// What kinds of frames are called.

import type { FrameKind } from "../../extension/src/protocol.generated.js";

export const KIND_WORDS: Record<FrameKind, string> = {
  erlang: "Erlang",
  bif: "BIF",
  fragment: "JIT fragment",
  native: "C",
  nif: "NIF",
  kernel: "Kernel",
  marker: "Marker",
};
