// The types of samples that helpers record. No vscode in here.

import type { HelperCapabilities } from "../../../contract/protocol.generated.js";
import type { SampleTypeId } from "../../../contract/sample-types.generated.js";

/** The answer of a helper. */
interface Recorder {
  capabilities(): Promise<HelperCapabilities | undefined>;
}

/** The default of the helper, which is not sent. */
export function isCpuAlone(types: readonly SampleTypeId[]): boolean {
  return types.every((type) => type === "cpu");
}

/** The types of samples that a helper records. One of an earlier version records processor time alone. */
export function recorded(capabilities: HelperCapabilities | undefined): readonly string[] {
  const types: unknown = capabilities?.sampleTypes;
  return Array.isArray(types) ? types.filter((type) => typeof type === "string") : ["cpu"];
}

/** Those of the wanted types that all of these helpers record; nothing for processor time alone. */
export async function recordable(
  types: readonly SampleTypeId[] | undefined,
  helpers: Iterable<Recorder>,
): Promise<{ readonly types?: SampleTypeId[] }> {
  if (types === undefined) return {};
  const known = await Promise.all([...new Set(helpers)].map((helper) => helper.capabilities()));
  const left = types.filter((type) => known.every((capabilities) => recorded(capabilities).includes(type)));
  return isCpuAlone(left) ? {} : { types: left };
}
