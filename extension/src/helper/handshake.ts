// The first request to the helper, and the checks of its answer. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { PROTOCOL_VERSION, type InitializationOptions, type InitializeResult } from "../../../contract/protocol.generated.js";
import { HelperError } from "./helper-error.js";

/** What is ours in `initialize`. */
export const INITIALIZATION_OPTIONS: InitializationOptions = { protocolVersion: PROTOCOL_VERSION, capabilities: { increments: true } };

/**
 * The answer to `initialize`, checked: another program may have answered it.
 * @throws {HelperError} when it is not this helper, or one of another version
 */
export function checkedAnswer(answer: unknown, program: string, l10n: Words): InitializeResult {
  const result = answer as Partial<InitializeResult> | null | undefined;
  const capabilities = result?.capabilities?.experimental;
  if (typeof result?.protocolVersion !== "number" || typeof capabilities?.maxFrequencyHz !== "number") {
    throw new HelperError("noAnswer", l10n.t("{0} is not the Extrospect helper", program), l10n.t("its first answer is another program's"), correctSetting(l10n));
  }
  if (result.protocolVersion !== PROTOCOL_VERSION) throw versionMismatch(program, l10n.t("it speaks version {0}", result.protocolVersion), l10n);
  return result as InitializeResult;
}

/** Helper and extension are not of the same release. */
export function versionMismatch(program: string, why: string, l10n: Words): HelperError {
  return new HelperError(
    "versionMismatch",
    l10n.t("The helper {0} does not fit this extension, which speaks protocol version {1}", program, PROTOCOL_VERSION),
    why,
    l10n.t("Empty the setting `extrospect.helper.path` to use the helper that comes with the extension, or set it to a helper of the same release."),
  );
}

export function correctSetting(l10n: Words): string {
  return l10n.t("Correct the setting `extrospect.helper.path`, or empty it to use the helper that comes with the extension.");
}
