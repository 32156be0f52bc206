// What speaks against comparing two sides that the module does not see: it refuses those without samples or without a function in common. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { NamedCapture } from "./comparison-sides.js";

const LONGEST_ADDRESS = 120;

/** One sentence each. */
export function sideRemarks(base: readonly NamedCapture[], newer: readonly NamedCapture[], words: Words): string[] {
  const remarks: string[] = [];
  const [here, there] = [repositoryOf(base), repositoryOf(newer)];
  if (here !== "" && there !== "" && here !== there)
    remarks.push(
      words.t(
        "These captures are of different repositories, {0} and {1}: functions of the same name may not be the same.",
        here,
        there,
      ),
    );
  return remarks;
}

/** How a repository is reached is no difference: `git@host:shop.git` and `https://host/shop` are one. */
function repositoryOf(side: readonly NamedCapture[]): string {
  const address = side.map(({ capture }) => capture.facts.origin?.repository ?? "").find((one) => one !== "") ?? "";
  const shown = plainText(address, LONGEST_ADDRESS);
  return shown
    .replace(/^[a-z+]+:\/\/(?:[^/@]*@)?/i, "")
    .replace(/^[^/@]*@/, "")
    .replace(/^([^/:]+):(?:\d+\/)?/, "$1/")
    .replace(/\/*(?:\.git)?\/*$/, "");
}
