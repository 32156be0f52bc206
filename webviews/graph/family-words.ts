// Names of the frames that stand for a run of native or kernel frames.

import type { FrameKindName } from "../../contract/capture-answers.js";
import { isSampleClass } from "../../contract/sample-classes.js";
import { KIND_WORDS } from "../words/frame-kinds.js";
import { l10n } from "../words/l10n.js";
import { classWords } from "../words/sample-classes.js";

const KERNEL_WORDS: Record<string, string> = {
  "kernel:network": l10n.t("Kernel: network"),
  "kernel:memory": l10n.t("Kernel: memory"),
  "kernel:files": l10n.t("Kernel: files"),
  "kernel:waiting": l10n.t("Kernel: waiting and waking up"),
  "kernel:interrupts": l10n.t("Kernel: interrupts"),
};
const NIF = "nif:";

export function familyWords(family: string): { readonly name: string; readonly kind: FrameKindName } {
  if (family.startsWith("kernel")) return { name: KERNEL_WORDS[family] ?? KIND_WORDS.kernel, kind: "kernel" };
  if (family.startsWith(NIF)) {
    const library = family.slice(NIF.length);
    return { name: library === "" ? classWords("nif").name : l10n.t("Native code of {0}", library), kind: "nif" };
  }
  if (family === "fragment") return { name: KIND_WORDS.fragment, kind: "fragment" };
  return { name: isSampleClass(family) ? classWords(family).name : KIND_WORDS.native, kind: "native" };
}
