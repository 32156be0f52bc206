// The address of a store of profiles, and the credentials for it. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";

const LONGEST = 2048;
const MOST_HEADERS = 32;
const HEADER = /^([A-Za-z0-9_-]+):[ \t]*([\x20-\x7e]*)$/;

/** Lines of HTTP by name. They may be secret. */
export type StoreHeaders = Readonly<Record<string, string>>;

/** The address without a slash at its end, or why it is none. */
export function storeAddress(text: string, l10n: Words): { readonly address: string } | { readonly refusal: string } {
  const typed = text.trim();
  if (typed.length > LONGEST || !URL.canParse(typed))
    return { refusal: l10n.t("Not an address such as http://pyroscope:4040") };
  const url = new URL(typed);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { refusal: l10n.t("Not an address such as http://pyroscope:4040") };
  if (url.username !== "" || url.password !== "")
    return { refusal: l10n.t("Omit name and password: the editor prompts for them if the store needs them") };
  if (url.search !== "" || url.hash !== "") return { refusal: l10n.t("Omit the part after ? or #") };
  return { address: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

/** Lines such as `Authorization: Bearer …`; undefined when one of them is none. */
export function storeHeaders(text: string): StoreHeaders | undefined {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.length > MOST_HEADERS) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    headers[name] = value;
  }
  return headers;
}
