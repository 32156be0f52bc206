// Whether debug files are fetched, and the texts about the result. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { DebugFilesParams, DebugFilesResult } from "../../../contract/protocol.generated.js";
import { helperText } from "../messages/helper-text.js";
import type { SettingValues } from "../setting-values.js";

/** What of the result is shown of one line. */
const LONGEST_LINE = 500;

/**
 * The request to the helper; undefined when the user wants nothing fetched.
 * @param servers   addresses from the settings; empty for the usual ones
 * @param variable  `DEBUGINFOD_URLS`, as the helper inherits it from the editor
 */
export function debugFileWish(
  fetch: SettingValues["debuginfod.fetch"],
  servers: readonly string[],
  variable: string | undefined,
): Pick<DebugFilesParams, "wish" | "servers"> | undefined {
  if (fetch === "always") return { wish: "always", servers: [...servers] };
  // The request would find nothing, and its progress would only disturb.
  const isNamed = fetch === "environment" && variable !== undefined && variable.trim() !== "";
  return isNamed ? { wish: "environment" } : undefined;
}

/** A line of the log for each result. */
export function debugFileLines({ fetched, nobodyHas, refused }: DebugFilesResult): readonly string[] {
  const lines = [
    ...fetched.map(({ object, bytes, server }) => `Debug file of ${object}: ${String(bytes)} bytes from ${server}`),
    ...refused.map(
      ({ server, reason, objects }) =>
        `No debug files of ${objects.join(", ") || "anything"}${server === null ? "" : ` from ${server}`}: ${reason}`,
    ),
    ...(nobodyHas.length > 0 ? [`No server has debug files of ${nobodyHas.join(", ")}`] : []),
  ];
  return lines.map((line) => plainText(line, LONGEST_LINE));
}

/** The message to the user when nothing was fetched and an error occurred; undefined otherwise. */
export function fetchFailure({ fetched, refused }: DebugFilesResult, l10n: Words): string | undefined {
  const [first] = refused;
  if (first === undefined || fetched.length > 0) return undefined;
  const reason = helperText(first.reason, first.messages?.["reason"], l10n);
  const why = plainText(first.server === null ? reason : `${first.server}: ${reason}`, LONGEST_LINE);
  return l10n.t("No debug files could be fetched, so some C functions show an address instead of a name. {0}", why);
}
