// What classes of samples are called. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import type { SampleClass } from "../../../contract/protocol.generated.js";

/** The name of a class as readers see it; null is a profile that does not tell. */
export function className(sampleClass: SampleClass | null, words: Words): string {
  switch (sampleClass) {
    case "erlang":
      return words.t("Erlang");
    case "gc":
      return words.t("garbage collection");
    case "copy":
      return words.t("copying terms");
    case "compare":
      return words.t("comparing terms");
    case "ets":
      return words.t("ETS");
    case "binary":
      return words.t("binaries");
    case "lock":
      return words.t("locks");
    case "alloc":
      return words.t("allocation");
    case "nif":
      return words.t("NIFs");
    case "bif":
      return words.t("other built-in functions");
    case "runtime":
      return words.t("other runtime code");
    case "port":
      return words.t("ports");
    case "scheduler":
      return words.t("scheduling");
    case "idle":
      return words.t("idle");
    case "kernel":
      return words.t("kernel");
    case "other_thread":
      return words.t("other threads");
    case null:
      return words.t("not told");
  }
}
