// Which host is meant: one type for those that ssh leads to and those that a command of the user's leads to. No vscode in here.
//
// An address never contains the program to start: that is in the settings alone. So an address from a storage or
// another extension can name a host, and no program.

import { plainText } from "../../../contract/plain-text.js";
import { isCommandName, isPlaceholderName, isPlaceholderValue } from "./command-template.js";
import { isDestination } from "./ssh-command.js";

/** A host that ssh leads to. */
export interface SshAddress {
  /** As ssh takes it. */
  readonly ssh: string;
}

/** A host, most often a container, that a command of `extrospect.remote.commands` leads to. */
export interface CommandAddress {
  /** What the command is called there. */
  readonly command: string;
  /** What its placeholders stand for, in their order. */
  readonly values: Readonly<Record<string, string>>;
}

export type HostAddress = SshAddress | CommandAddress;

const MAX_VALUES = 16;
const LONGEST_NAME = 200;

/**
 * An untrusted value for a host: a text for ssh, or an address. {@link isAddress} checks whether it makes sense.
 * @returns undefined when it does not have the form of one
 */
export function addressOf(given: unknown): HostAddress | undefined {
  if (typeof given === "string") return { ssh: given };
  if (typeof given !== "object" || given === null) return undefined;
  const { ssh, command, values } = given as Partial<Record<"ssh" | "command" | "values", unknown>>;
  if (typeof ssh === "string") return { ssh };
  if (typeof command !== "string" || typeof values !== "object" || values === null) return undefined;
  const entries = Object.entries(values);
  if (entries.length > MAX_VALUES || !entries.every((entry): entry is [string, string] => typeof entry[1] === "string"))
    return undefined;
  return { command, values: Object.fromEntries(entries) };
}

/** Whether something can be connected to by it: no option, nothing that a shell or a terminal would obey. */
export function isAddress(address: HostAddress): boolean {
  if (isSsh(address)) return isDestination(address.ssh);
  return (
    isCommandName(address.command) &&
    Object.entries(address.values).every(
      ([name, value]) => isPlaceholderName(name) && (value === "" || isPlaceholderValue(value)),
    )
  );
}

export function isSsh(address: HostAddress): address is SshAddress {
  return "ssh" in address;
}

/** What people read: `web`, `docker shop-1`, `kubectl market/shop-7d9f`. */
export function addressName(address: HostAddress): string {
  if (isSsh(address)) return plainText(address.ssh, LONGEST_NAME);
  const values = Object.values(address.values).filter((value) => value !== "");
  return plainText([address.command, values.join("/")].join(" "), LONGEST_NAME);
}

/** The same for the same host, and for no other. */
export function addressKey(address: HostAddress): string {
  return JSON.stringify(
    isSsh(address) ? ["ssh", address.ssh] : ["command", address.command, ...Object.entries(address.values)],
  );
}
