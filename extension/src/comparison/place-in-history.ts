// Where a function of a capture is in the text of a commit. No vscode in here.

import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { CommitText } from "../commits/commit-texts.js";
import type { LineRange } from "../commits/line-log.js";
import { blobHash } from "../commits/source-hashes.js";
import { LineMap, linesOf } from "../sources/drift/line-map.js";
import type { Form } from "../sources/forms/form.js";
import { scanForms } from "../sources/forms/scan-forms.js";

/** A function as the capture has it. */
export interface FunctionPlace {
  readonly name: string;
  /** Source as the VM reports it. */
  readonly file: string;
  /** From 1; 0 when not known. */
  readonly headLine: number;
  /** Heads of other functions in that file, as far as they were sampled, and its own sampled lines. */
  readonly otherHeads: readonly number[];
  readonly sampledLines: readonly number[];
}

/** The text that the VM ran, compared with that of the commit. */
export interface RanText {
  readonly committed: CommitText;
  /** The text that ran; the commit's where no other is known. */
  readonly text: string;
  /** `changed`: the text that ran differs from the commit's. `lost`: it differs, and is no longer known. */
  readonly state: "same" | "changed" | "lost";
}

export interface PlaceInHistory {
  /** In the commit's text; undefined when that has nothing of it. */
  readonly committed: LineRange | undefined;
  /** In the text that ran. */
  readonly ran: LineRange;
  /** Lines of the text that ran which the commit has not as they are. */
  readonly uncommitted: readonly LineRange[];
  /** Line of the commit for one of the text that ran; 0 when it has none. */
  toCommitted(line: number): number;
}

/**
 * @param path below the repository's top, with slashes
 * @param kept texts that may be the one that ran, such as the file on disk; each is checked by the hash in the capture
 */
export async function ranText(
  committed: CommitText,
  path: string,
  origin: OriginFacts,
  kept: () => Promise<readonly string[]>,
): Promise<RanText> {
  const hash = Object.hasOwn(origin.sources, path) ? origin.sources[path] : undefined;
  if (hash === undefined || hasHash(committed.text, hash)) return { committed, text: committed.text, state: "same" };
  const ran = (await kept()).find((text) => hasHash(text, hash));
  if (ran === undefined) return { committed, text: committed.text, state: origin.dirty ? "lost" : "same" };
  // Line ends that git changes on the way are no change.
  const isSame = linesOf(ran).join("\n").trimEnd() === linesOf(committed.text).join("\n").trimEnd();
  return { committed, text: ran, state: isSame ? "same" : "changed" };
}

/** Texts out of git may lack their last line's end. */
function hasHash(text: string, hash: string): boolean {
  const algorithm = hash.length === 64 ? "sha256" : "sha1";
  return [text, `${text}\n`].some((one) => blobHash(Buffer.from(one, "utf8"), algorithm) === hash);
}

/** Undefined when the text has no such line. */
export function placeInHistory(place: FunctionPlace, { committed, text, state }: RanText): PlaceInHistory | undefined {
  const lines = linesOf(text);
  const forms = scanForms(committed.path, text);
  // Of a text that is lost the name is surer than the line.
  const form =
    state === "lost"
      ? (formNamed(forms, place.name) ?? formAt(forms, place.headLine))
      : (formAt(forms, place.headLine) ?? formNamed(forms, place.name));
  const ran =
    form === undefined
      ? extentByHeads(place, lines.length)
      : { start: form.headLine, end: Math.min(Math.max(form.endLine, form.headLine), lines.length) };
  if (ran === undefined) return undefined;
  if (state !== "changed")
    return { committed: ran, ran, uncommitted: [], toCommitted: (line) => (state === "lost" ? 0 : line) };
  const map = new LineMap(lines, linesOf(committed.text));
  const uncommitted: LineRange[] = [];
  const kept: number[] = [];
  for (let line = ran.start; line <= ran.end; line++) {
    const { line: to, state: how } = map.map(line);
    if (to > 0) kept.push(to);
    if (how !== "gone" && how !== "changed") continue;
    const last = uncommitted.at(-1);
    if (last?.end === line - 1) uncommitted[uncommitted.length - 1] = { start: last.start, end: line };
    else uncommitted.push({ start: line, end: line });
  }
  return {
    committed: committedExtent(kept, committed, place.name),
    ran,
    uncommitted,
    toCommitted: (line) => map.map(line).line,
  };
}

/** The function in the commit's text, which has lines of it that the text that ran lacks. */
function committedExtent(kept: readonly number[], committed: CommitText, name: string): LineRange | undefined {
  const forms = scanForms(committed.path, committed.text);
  const form = formNamed(forms, name) ?? formAt(forms, kept[0] ?? 0);
  if (form !== undefined) return { start: form.headLine, end: Math.max(form.endLine, form.headLine) };
  return kept.length === 0 ? undefined : { start: Math.min(...kept), end: Math.max(...kept) };
}

function formAt(forms: readonly Form[], line: number): Form | undefined {
  return line > 0
    ? forms.find(({ headLine, endLine }) => headLine <= line && line <= Math.max(endLine, headLine))
    : undefined;
}

/** By `name/arity` at the end of `shop:cart/1`, `Shop.cart/1` or `fun/2 in shop:cart/1`; C functions by their name. */
function formNamed(forms: readonly Form[], name: string): Form | undefined {
  const plain = name.replace(/ #\d+$/, "");
  return (
    forms.find((form) => [":", "."].some((before) => plain.endsWith(`${before}${form.name}/${String(form.arity)}`))) ??
    forms.find((form) => form.name === plain)
  );
}

/** From its head to the next one that is known, else to the last line that was sampled. */
function extentByHeads({ headLine, otherHeads, sampledLines }: FunctionPlace, lines: number): LineRange | undefined {
  if (headLine < 1 || headLine > lines) return undefined;
  const next = Math.min(...otherHeads.filter((head) => head > headLine), Infinity);
  const last = next === Infinity ? Math.max(headLine, ...sampledLines) : next - 1;
  return { start: headLine, end: Math.min(Math.max(last, headLine), lines) };
}
