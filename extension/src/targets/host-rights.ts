// The possible samples on a host, in a few words, from its doctor's report. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import type { DoctorRow } from "../../../contract/protocol.generated.js";

/** The missing rights there, the worst first. */
export type MissingRight =
  /** Nothing can be sampled. */
  | "sampling"
  /** VMs of other users. */
  | "otherUsers"
  /** Time in the kernel. */
  | "kernel"
  /** Stacks below C code by eBPF. */
  | "exact";

/** @returns nothing when nothing is missing */
export function missingRights(rows: readonly DoctorRow[]): MissingRight[] {
  const check = (code: string) => rows.find((row) => row.messages?.["check"]?.code === code);
  const isMissing = (code: string) => (check(code)?.status ?? "ok") !== "ok";
  // Nothing is missing of a copy with rights, and yet whose VMs it reads is its policy's to say.
  const isByPolicy = rows.some((row) => row.messages?.["found"]?.code === "foundPolicySays");
  if (rows.some(({ status }) => status === "fail")) return ["sampling"];
  return [
    ...(isMissing("checkToSample") || isMissing("checkToRead") || isByPolicy ? (["otherUsers"] as const) : []),
    // Sampling works: the remark is that only user code is seen.
    ...(isMissing("checkSampling") ? (["kernel"] as const) : []),
    ...(isMissing("checkExact") ? (["exact"] as const) : []),
  ];
}

/** @param isByPolicy it is the installed copy: root's policy decides for whose VMs its rights are */
export function rightsText(missing: readonly MissingRight[], isByPolicy: boolean, l10n: Words): string {
  const texts: Readonly<Record<MissingRight, string>> = {
    sampling: l10n.t("no sampling"),
    otherUsers: isByPolicy ? l10n.t("own VMs, and those that its policy allows") : l10n.t("own VMs only"),
    kernel: l10n.t("no kernel frames"),
    exact: l10n.t("not all stacks proven"),
  };
  return missing.length === 0 ? l10n.t("full") : missing.map((one) => texts[one]).join(", ");
}
