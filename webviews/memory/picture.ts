// Resident memory, carriers and blocks as three bars on one scale, each with its parts in words below it.

import type { MemoryShown } from "../../contract/messages/memory.js";
import type { ResidentMemory } from "../../contract/protocol.generated.js";
import { element } from "../elements/dom.js";
import { share } from "../words/figures.js";
import { size, sumOf } from "./sizes.js";
import { STRINGS } from "./strings.js";

interface Part {
  readonly kind:
    | "heaps"
    | "binary"
    | "ets"
    | "other"
    | "free"
    | "carriers"
    | "stacks"
    | "malloc"
    | "segments"
    | "unexplained"
    | "code"
    | "shared"
    | "absent";
  readonly words: string;
  readonly bytes: number;
}

interface Bar {
  readonly name: string;
  readonly bytes: number;
  readonly parts: readonly Part[];
}

/** Bars with their parts; empty parts are left out. */
export function barsOf(shown: MemoryShown): Bar[] {
  const bars = [rssBar(shown), carriersBar(shown), blocksBar(shown)];
  return bars.flatMap((bar) => (bar === null ? [] : [{ ...bar, parts: bar.parts.filter(({ bytes }) => bytes > 0) }]));
}

export function drawPicture(shown: MemoryShown): HTMLElement[] {
  const bars = barsOf(shown);
  const scale = Math.max(...bars.map(({ bytes }) => bytes), 1);
  const drawn = bars.map(({ name, bytes, parts }) => {
    const segments = parts.map(({ kind, words, bytes: part }) => {
      const made = element("span", { class: `segment part-${kind}`, title: `${words}: ${size(part)}` });
      made.style.inlineSize = `${share(part, scale) * 100}%`;
      return made;
    });
    const entries = parts.map(({ kind, words, bytes: part }) =>
      element(
        "li",
        {},
        element("span", { class: `swatch part-${kind}`, "aria-hidden": "true" }),
        element("span", { class: "figure" }, size(part)),
        ` ${words}`,
      ),
    );
    return element(
      "div",
      { class: "picture-row" },
      element("h3", {}, name, " ", element("span", { class: "figure" }, size(bytes))),
      element("div", { class: "picture-bar", "aria-hidden": "true" }, ...segments),
      element("ul", { class: "legend" }, ...entries),
    );
  });
  return shown.memory.rss_bytes === null ? [element("p", { class: "quiet" }, STRINGS.rssUnknown), ...drawn] : drawn;
}

function rssBar({ memory }: MemoryShown): Bar | null {
  const { rss_bytes: rss, resident } = memory;
  if (rss === null) return null;
  const name = STRINGS.rss;
  if (resident === null) return { name, bytes: rss, parts: [] };
  const anonymous = resident.anonymous_bytes + resident.lazily_freed_bytes;
  const { unexplained_bytes: unexplained, jit_code_bytes: code } = resident;
  const files = Math.max(rss - anonymous, 0);
  const shared: Part[] = [
    { kind: "code", words: STRINGS.parts.code, bytes: Math.min(code ?? 0, files) },
    {
      kind: "shared",
      words: code === null && memory.memory.jit_code !== null ? STRINGS.parts.sharedWithCode : STRINGS.parts.shared,
      bytes: Math.max(files - (code ?? 0), 0),
    },
  ];
  if (unexplained === null)
    return {
      name,
      bytes: rss,
      parts: [{ kind: "carriers", words: STRINGS.parts.anonymous, bytes: anonymous }, ...shared],
    };
  return {
    name,
    bytes: rss,
    parts: [
      { kind: "carriers", words: STRINGS.parts.carriersResident, bytes: Math.max(anonymous - unexplained, 0) },
      ...elsewhere(resident, unexplained),
      ...shared,
    ],
  };
}

/** Memory in no file and in no carrier, by its use as far as that is known. */
function elsewhere(
  { thread_stacks_bytes: stacks, malloc_bytes: malloc, cached_segments_bytes: segments }: ResidentMemory,
  unexplained: number,
): Part[] {
  const rest = Math.max(unexplained - (stacks ?? 0) - (malloc ?? 0) - (segments ?? 0), 0);
  return [
    { kind: "stacks", words: STRINGS.parts.stacks, bytes: stacks ?? 0 },
    { kind: "malloc", words: STRINGS.parts.malloc, bytes: malloc ?? 0 },
    { kind: "segments", words: STRINGS.parts.segments, bytes: segments ?? 0 },
    {
      kind: "unexplained",
      words: [stacks, malloc, segments].includes(null) ? STRINGS.parts.unexplained : STRINGS.parts.noneOfThese,
      bytes: rest,
    },
  ];
}

function carriersBar({ memory: { allocators } }: MemoryShown): Bar {
  const bytes = sumOf(allocators, (row) => row.carriers_bytes);
  const name = STRINGS.carriers;
  const isKnown = allocators.every(({ resident_bytes: resident }) => resident !== null);
  if (!isKnown) return { name, bytes, parts: [{ kind: "carriers", words: STRINGS.parts.unknown, bytes }] };
  const resident = sumOf(allocators, (row) => row.resident_bytes ?? 0);
  return {
    name,
    bytes,
    parts: [
      { kind: "carriers", words: STRINGS.parts.resident, bytes: resident },
      { kind: "absent", words: STRINGS.parts.absent, bytes: bytes - resident },
    ],
  };
}

function blocksBar({ memory: { allocators, memory } }: MemoryShown): Bar {
  const blocks = sumOf(allocators, (row) => row.blocks_bytes);
  const carriers = sumOf(allocators, (row) => row.carriers_bytes);
  // Of an allocator that is switched off there are no blocks here.
  const [heaps, binary, ets] = [memory.process_heaps ?? 0, memory.binary ?? 0, memory.ets ?? 0];
  return {
    name: STRINGS.blocks,
    bytes: blocks,
    parts: [
      { kind: "heaps", words: STRINGS.parts.heaps, bytes: heaps },
      { kind: "binary", words: STRINGS.parts.binary, bytes: binary },
      { kind: "ets", words: STRINGS.parts.ets, bytes: ets },
      { kind: "other", words: STRINGS.parts.other, bytes: blocks - heaps - binary - ets },
      { kind: "free", words: STRINGS.parts.free, bytes: carriers - blocks },
    ],
  };
}
