// The programs below the ports of a VM, and its children below no port, as a figure at the top of a page.

import { plainText } from "../../contract/plain-text.js";
import type { PortChildren } from "../../contract/protocol.generated.js";
import { count, decimal, memorySize } from "./figures.js";
import { NODE_WORDS } from "./node-words.js";

/** So many programs are listed where the pointer rests. */
const MOST_NAMED = 5;

/** Undefined where there are none, or they are not known. */
export function programsText(
  children: PortChildren | null,
): { readonly value: string; readonly help: string } | undefined {
  if (children === null) return undefined;
  const { programs, more, vm_cpu_ms: vmMs } = children;
  // Another host may have an older helper.
  const beside = children.beside_ports ?? null;
  const isAnyBeside = beside !== null && (beside.processes > 0 || beside.cpu_ms > 0);
  if (programs.length === 0 && !isAnyBeside) return undefined;
  const seconds = (ms: number) => decimal(ms / 1000);
  const lines = programs
    .slice(0, MOST_NAMED)
    .map(({ pid, port, name, owner, cpu_ms: ownMs, rss_bytes: ownBytes }) =>
      NODE_WORDS.program(
        [String(pid), ...(port === null ? [] : [plainText(port)]), ...(name === null ? [] : [plainText(name)])].join(
          " ",
        ),
        owner === null ? "?" : plainText(owner),
        seconds(ownMs),
        memorySize(ownBytes),
      ),
    );
  const further = programs.length - lines.length + more;
  return {
    value: NODE_WORDS.programsValue(
      seconds(children.cpu_ms + (beside?.cpu_ms ?? 0)),
      memorySize(children.rss_bytes + (beside?.rss_bytes ?? 0)),
    ),
    help: [
      NODE_WORDS.programsHelp(vmMs === null ? "?" : seconds(vmMs)),
      ...lines,
      ...(further === 0 ? [] : [NODE_WORDS.programsMore(count(further))]),
      ...(isAnyBeside
        ? [NODE_WORDS.besidePorts(count(beside.processes), seconds(beside.cpu_ms), memorySize(beside.rss_bytes))]
        : []),
    ].join("\n"),
  };
}
