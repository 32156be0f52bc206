// The reason why the VM cannot be read, and the remedy.

import type { InsideProblem } from "../../contract/messages/inside.js";
import { button } from "../elements/controls.js";
import { element, nameText } from "../elements/dom.js";
import { STRINGS } from "./strings.js";

/** In one line. */
export function problemText({ what, why, fix }: InsideProblem): string {
  const sentence = why === "" ? what : what === "" ? why : `${what}: ${why}`;
  return fix === "" ? sentence : `${sentence}. ${STRINGS.fix} ${fix}`;
}

/**
 * @param seen  the time of the figures that are still shown; undefined when there are none
 */
export function problemBox(
  problem: InsideProblem,
  seen: string | undefined,
  lookAgain: () => void,
  copy: (command: string) => void,
): HTMLElement[] {
  const { kind, what, why, fix, command } = problem;
  const ended = kind === "vmEnded" && seen !== undefined;
  const parts = ended
    ? [element("strong", {}, STRINGS.vmEnded(seen))]
    : [
        element("strong", {}, nameText(what)),
        ...(why === "" ? [] : [element("span", {}, nameText(why))]),
        ...(seen === undefined ? [] : [element("span", {}, STRINGS.kept(seen))]),
      ];
  if (!ended && fix !== "") parts.push(element("span", {}, `${STRINGS.fix} `, nameText(fix)));
  if (command !== "") parts.push(element("code", {}, nameText(command)));
  const ways = [
    button(STRINGS.lookAgain, STRINGS.lookAgainHelp, lookAgain, true),
    ...(command === "" ? [] : [button(STRINGS.copyCommand, STRINGS.copyCommandHelp, () => copy(command))]),
  ];
  return [...parts, element("div", { class: "line" }, ...ways)];
}
