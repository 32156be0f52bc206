// Which functions of a document have a lens: they stay the same while figures swing around the threshold, so that the text above the cursor does not jump. No vscode in here.

/** A function of the document with samples. */
export interface LensCandidate {
  readonly functionIndex: number;
  /** Line of its lens, from 1. */
  readonly line: number;
  /** Its figure in parts of the threshold: at 1 and above it is hot. */
  readonly heat: number;
}

/** What decides besides the figures. */
export interface LensMoment {
  /** The capture; another one begins anew. */
  readonly capture: object;
  /** Figures still change. */
  readonly live: boolean;
  readonly nowMs: number;
  /** Lines above this one, from 1, are kept from moving; 0 when the cursor is in no editor of the document. */
  readonly cursorLine: number;
}

interface Chosen {
  readonly capture: object;
  readonly live: boolean;
  readonly functions: ReadonlySet<number>;
  /** When lenses above the cursor may change again. */
  readonly heldUntilMs: number;
}

/** The first lenses come of few samples: they are corrected once, soon. */
const FIRST_HOLD_MS = 10_000;
const HOLD_MS = 60_000;
/** A function keeps its lens down to this part of the threshold. */
const KEPT = 0.5;

export class LensChoice {
  readonly #chosen = new Map<string, Chosen>();

  /** @returns indexes of the functions that have a lens */
  of(document: string, candidates: readonly LensCandidate[], moment: LensMoment): ReadonlySet<number> {
    const last = this.#chosen.get(document);
    const before = last?.capture === moment.capture ? last : undefined;
    const chosen = before === undefined ? first(candidates, moment) : next(before, candidates, moment);
    // A document that has lost all its lenses keeps its place in time as well: the next ones are not its first.
    if (before !== undefined || chosen.functions.size > 0) this.#chosen.set(document, chosen);
    return chosen.functions;
  }

  forget(document: string): void {
    this.#chosen.delete(document);
  }

  forgetAll(): void {
    this.#chosen.clear();
  }
}

function first(candidates: readonly LensCandidate[], { capture, live, nowMs }: LensMoment): Chosen {
  return { capture, live, functions: hot(candidates, () => false), heldUntilMs: nowMs + FIRST_HOLD_MS };
}

function next(before: Chosen, candidates: readonly LensCandidate[], moment: LensMoment): Chosen {
  const { capture, live, nowMs, cursorLine } = moment;
  const wanted = hot(candidates, (index) => live && before.functions.has(index));
  // The end of a capture is the last change.
  const isHeld = live && nowMs < before.heldUntilMs;
  const above = candidates.filter(({ line }) => line <= cursorLine);
  const moves = above.some(({ functionIndex }) => wanted.has(functionIndex) !== before.functions.has(functionIndex));
  if (!isHeld || !moves) {
    return { capture, live, functions: wanted, heldUntilMs: moves ? nowMs + HOLD_MS : before.heldUntilMs };
  }
  const functions = new Set(wanted);
  for (const { functionIndex } of above) {
    if (before.functions.has(functionIndex)) functions.add(functionIndex);
    else functions.delete(functionIndex);
  }
  return { ...before, functions };
}

function hot(candidates: readonly LensCandidate[], hasLens: (functionIndex: number) => boolean): ReadonlySet<number> {
  const threshold = (index: number) => (hasLens(index) ? KEPT : 1);
  return new Set(
    candidates
      .filter(({ functionIndex, heat }) => heat >= threshold(functionIndex))
      .map(({ functionIndex }) => functionIndex),
  );
}
