// The first request to the helper, and the checks of its answer. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import {
  PROTOCOL_VERSION,
  type InitializationOptions,
  type InitializeResult,
} from "../../../contract/protocol.generated.js";
import { HelperError } from "./helper-error.js";
import type { RunningProgram } from "./running-program.js";

/** What answers, and what to do when it does not fit. */
type Answering = Pick<RunningProgram, "name" | "advice">;

/** Extrospect's own part of `initialize`. */
export const INITIALIZATION_OPTIONS: InitializationOptions = {
  protocolVersion: PROTOCOL_VERSION,
  capabilities: { increments: true },
};

/**
 * The answer to `initialize`, checked: another program may have answered it.
 * @throws {HelperError} when it is not this helper, or one of another version
 */
export function checkedAnswer(answer: unknown, program: Answering, l10n: Words): InitializeResult {
  const result = answer as Partial<InitializeResult> | null | undefined;
  const capabilities = result?.capabilities?.experimental;
  if (typeof result?.protocolVersion !== "number" || typeof capabilities?.maxFrequencyHz !== "number") {
    throw new HelperError(
      "noAnswer",
      l10n.t("{0} is not the Extrospect helper", program.name),
      l10n.t("its first answer is another program's"),
      noHelperAdvice(program, l10n),
    );
  }
  if (result.protocolVersion !== PROTOCOL_VERSION)
    throw versionMismatch(
      program,
      l10n.t("it speaks version {0}", result.protocolVersion),
      l10n,
      result.protocolVersion,
    );
  return result as InitializeResult;
}

/**
 * Helper and extension are not of the same release.
 * @param version of the protocol that the helper speaks, if it stated one
 */
export function versionMismatch({ name, advice }: Answering, why: string, l10n: Words, version?: number): HelperError {
  if (advice !== undefined)
    return new HelperError(
      "versionMismatch",
      l10n.t("{0} is incompatible with this extension, which uses protocol version {1}", name, PROTOCOL_VERSION),
      why,
      advice.otherVersion(version),
    );
  return new HelperError(
    "versionMismatch",
    l10n.t(
      "The helper {0} is incompatible with this extension, which uses protocol version {1}",
      name,
      PROTOCOL_VERSION,
    ),
    why,
    l10n.t(
      "Empty the setting `extrospect.helper.path` to use the helper that comes with the extension, or set it to a helper of the same release.",
    ),
  );
}

/** What to do when something else than the helper answers, or nothing. */
export function noHelperAdvice({ advice }: Pick<RunningProgram, "advice">, l10n: Words): string {
  return advice?.noHelper ?? correctSetting(l10n);
}

export function correctSetting(l10n: Words): string {
  return l10n.t(
    "Correct the setting `extrospect.helper.path`, or empty it to use the helper that comes with the extension.",
  );
}
