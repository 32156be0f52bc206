// The types of a capture's samples beside the one that is shown. No vscode in here.

import { COUNTED_UNITS } from "../../../contract/sample-type-words.js";
import type { Capture, TypedAnswers } from "../capture/questions.js";

/** The answers of each, in the order of the file; none in a capture of one type. */
export function otherTypes(capture: Pick<Capture, "facts" | "of">): TypedAnswers[] {
  const { types = [], unit } = capture.facts;
  return types.filter((type) => COUNTED_UNITS[type].unit !== unit).flatMap((type) => capture.of(type) ?? []);
}
