// The detached captures that a helper lists. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { HelperConnection } from "../helper/helper-connection.js";
import { errorText, errorWords } from "../text/error-text.js";
import { knownDetached, type KnownDetached } from "./detached-rows.js";

/** Those that a helper lists; none where it could not, with the reason: the VMs beside them are shown all the same. */
export interface ListedDetached {
  readonly captures: readonly KnownDetached[];
  readonly failure?: unknown;
}

export async function listedDetached(
  helper: HelperConnection,
  log: { warn(message: string): void },
): Promise<ListedDetached> {
  try {
    return { captures: knownDetached((await helper.request("extrospect/detached/list", {})).captures) };
  } catch (failure) {
    log.warn(`Detached captures could not be listed: ${errorText(failure)}`);
    return { captures: [], failure };
  }
}

/** Why they could not be listed, for the user; empty where they were. */
export function unlistedText({ failure }: ListedDetached, l10n: Words): string {
  if (failure === undefined) return "";
  return l10n.t("Captures in the background could not be listed: {0}", plainText(errorWords(failure, l10n), 500));
}
