// Whether processor time in the kernel is in a capture, in words. No vscode in here.

import { percent } from "../../../contract/figures.js";
import type { Words } from "../../../contract/plain-text.js";
import type { KernelTime, QualityRecord } from "../../../contract/protocol.generated.js";
import type { CaptureFacts } from "../capture/questions.js";

/** Of the processor time of the sampled threads, rounded down; undefined where nothing is missing or it is not known how much. */
export function missingShare(kernel: KernelTime | undefined): number | undefined {
  if (kernel === undefined || kernel.sampled || kernel.cpu_ns === 0) return undefined;
  const share = Math.floor(Math.min(kernel.missing_ns / kernel.cpu_ns, 1) * 100) / 100;
  return share > 0 ? share : undefined;
}

/** The sentence for a capture without time in the kernel; empty for one that has it, and for one that does not say. */
export function missingKernelTime(quality: QualityRecord | null, l10n: Words, language?: string): string {
  const kernel = quality?.kernel;
  if (kernel === undefined || kernel.sampled) return "";
  const share = missingShare(kernel);
  return share === undefined
    ? l10n.t("User code only: time in the kernel is not included")
    : l10n.t(
        "User code only: at least {0} of the VM's processor time (kernel) is not included",
        percent(share, 1, language, "rough"),
      );
}

/** The same above a view of the capture. Of several VMs all are named that lack it, and what that means where others have it. */
export function kernelTimeRemark(
  { quality, nodes }: Pick<CaptureFacts, "quality" | "nodes">,
  l10n: Words,
  language?: string,
): string {
  if (nodes === undefined) return missingKernelTime(quality, l10n, language);
  const lacking = nodes
    .map((node) => ({ name: node.name, text: missingKernelTime(node.quality, l10n, language) }))
    .filter(({ text }) => text !== "");
  const each = lacking.map(({ name, text }) => `${name}: ${text}`);
  if (lacking.length > 0 && lacking.length < nodes.length)
    each.push(l10n.t("The other VMs have this time, so shares of the VMs are not comparable"));
  return each.join(". ");
}
