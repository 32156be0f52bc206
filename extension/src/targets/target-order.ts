// Which rows the view of VMs has, and in which order: none may move under the mouse. No vscode in here.

import type { BeamRow } from "../../../contract/protocol.generated.js";
import { byUsefulness } from "./target-description.js";

/** One row. Commands of the view get it as argument and read `pid`. */
export interface TargetRow extends BeamRow {
  /** It ended since the rows were last put in order. */
  readonly isGone: boolean;
}

/** Rows of VMs that ended: a machine on which VMs come and go must not fill the view. */
const MOST_GONE = 20;

/** A list put in order anew: the most useful ones on top, none that ended. */
export function inOrder(found: readonly BeamRow[]): TargetRow[] {
  return byUsefulness(found).map((beam) => ({ ...beam, isGone: false }));
}

/** The same rows where they were, with what is known of them now; VMs that ended stay and say so, new ones come last. */
export function inPlace(shown: readonly TargetRow[], found: readonly BeamRow[]): TargetRow[] {
  const remaining = new Map(found.map((beam) => [beam.pid, beam]));
  const kept = shown.map((row): TargetRow => {
    const beam = remaining.get(row.pid);
    remaining.delete(row.pid);
    return beam === undefined ? { ...row, isGone: true, attachable: false, cpuPct: null } : { ...beam, isGone: false };
  });
  let surplus = kept.filter(({ isGone }) => isGone).length - MOST_GONE;
  const bounded = kept.filter(({ isGone }) => !isGone || surplus-- <= 0);
  return [...bounded, ...inOrder([...remaining.values()])];
}
