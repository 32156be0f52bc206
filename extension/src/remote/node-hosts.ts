// Where a node of a cluster runs, by its name and by rules of the user. No vscode in here.

import type { HostAddress } from "./host-address.js";
import { isDestination } from "./ssh-command.js";

/**
 * Rules by pattern of a node's name, in which `*` is any text; the value of each is a destination for ssh, in which
 * `$1` is the text of the first `*`, `$2` that of the second. An empty one means the host of the queried VM.
 */
export type NodeHostRules = Readonly<Record<string, string>>;

/** The VM that was queried for its nodes: on this machine when `host` is absent. */
export interface QueriedVm {
  readonly host?: HostAddress | undefined;
  /** The name of the queried VM. */
  readonly name: string | null;
}

export type NodePlace =
  | { readonly kind: "host"; readonly address: HostAddress }
  | { readonly kind: "thisMachine" }
  /** Its name gives no host that ssh would take. */
  | { readonly kind: "unknown" };

const LONGEST_NAME = 1100;
const MOST_STARS = 10;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "::1"]);

/**
 * The place of a node: by the first rule that fits, else that of the queried VM, if both names have the same host; else
 * this machine, if the host part is one of its names; else the host part itself.
 * @param thisMachine names and addresses of this machine
 */
export function placeOfNode(
  node: string,
  vm: QueriedVm,
  rules: NodeHostRules,
  thisMachine: readonly string[],
): NodePlace {
  const where = (destination: string): NodePlace => {
    if (destination === "") return { kind: "thisMachine" };
    return isDestination(destination) ? { kind: "host", address: { ssh: destination } } : { kind: "unknown" };
  };
  const sameHost: NodePlace = vm.host === undefined ? { kind: "thisMachine" } : { kind: "host", address: vm.host };
  for (const [pattern, destination] of Object.entries(rules)) {
    const parts = matched(pattern, node);
    if (parts !== undefined) return destination === "" ? sameHost : where(filledIn(destination, parts));
  }
  const host = hostPart(node);
  if (LOOPBACK.has(host) || (vm.name !== null && host === hostPart(vm.name))) return sameHost;
  if (thisMachine.some((name) => isSameHost(name, host))) return { kind: "thisMachine" };
  return host === "" ? { kind: "unknown" } : where(host);
}

/** The text after the `@`. */
export function hostPart(node: string): string {
  return node.slice(node.indexOf("@") + 1);
}

/** A name without its domain is that of a node with a short name (`-sname`). */
function isSameHost(name: string, host: string): boolean {
  const [ours, theirs] = [name.toLowerCase(), host.toLowerCase()];
  return (
    ours !== "" &&
    (ours === theirs || (!/^[\d.]+$/.test(ours) && !theirs.includes(".") && ours.split(".")[0] === theirs))
  );
}

/** What each `*` stands for, as little as possible each; undefined when the text does not fit the pattern. Takes no time that grows with anything but the text. */
function matched(pattern: string, text: string): string[] | undefined {
  const [first = "", ...rest] = pattern.split("*");
  if (text.length > LONGEST_NAME || rest.length > MOST_STARS || !text.startsWith(first)) return undefined;
  const parts: string[] = [];
  let at = first.length;
  for (const [index, fixed] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const found = isLast ? text.length - fixed.length : text.indexOf(fixed, at);
    if (found < at || !text.startsWith(fixed, found)) return undefined;
    parts.push(text.slice(at, found));
    at = found + fixed.length;
  }
  return at === text.length ? parts : undefined;
}

function filledIn(destination: string, parts: readonly string[]): string {
  return destination.replace(/\$(\d)/g, (_, number: string) => parts[Number(number) - 1] ?? "");
}
