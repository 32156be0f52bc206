// The page as a document of its own: its content, without scripts and without the controls that need them.

import type { PageDocument } from "../../contract/messages/any-page.js";
import { element } from "../elements/dom.js";
import { whileWhole } from "../elements/whole-page.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { isDocumentRequest } from "./document-request.js";

const LEFT_OUT = [
  "script",
  "[hidden]",
  "dialog",
  "select",
  "input",
  "vscode-button",
  "vscode-checkbox",
  "vscode-textfield",
  "vscode-single-select",
  ".menu",
  ".column-border",
].join(", ");

/** @param send to the extension host */
export function answerDocumentRequests(send: (document: PageDocument) => void): void {
  addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (isDocumentRequest(data)) send(whileWhole(pageDocument));
  });
}

function pageDocument(): PageDocument {
  // Nothing in it is loaded or run.
  const copy = document.implementation.createHTMLDocument();
  const body = copy.importNode(document.body, true);
  // A copied canvas is empty.
  const drawn = document.body.querySelectorAll("canvas");
  body.querySelectorAll("canvas").forEach((canvas, index) => {
    const original = drawn[index];
    if (original && original.clientWidth > 0) canvas.replaceWith(pictureOf(original, copy));
  });
  for (const part of body.querySelectorAll(LEFT_OUT)) part.remove();
  for (const grid of body.querySelectorAll<HTMLElement>(".grid")) putInOrder(grid);
  return {
    type: "pageDocument",
    rootStyle: document.documentElement.style.cssText,
    bodyClass: document.body.className,
    body: body.innerHTML,
  };
}

function pictureOf(canvas: HTMLCanvasElement, copy: Document): HTMLImageElement {
  const picture = copy.createElement("img");
  picture.src = canvas.toDataURL();
  picture.alt = canvas.getAttribute("aria-label") ?? "";
  picture.width = canvas.clientWidth;
  picture.height = canvas.clientHeight;
  return picture;
}

/** Rows are in the order in which they were drawn, each at its place in the whole list; here they follow each other. */
function putInOrder(grid: HTMLElement): void {
  const body = grid.querySelector<HTMLElement>(".grid-body");
  if (!body) return;
  const indexOf = (row: HTMLElement) => Number(row.dataset["index"]);
  const rows = [...body.querySelectorAll<HTMLElement>(".grid-row")].sort((a, b) => indexOf(a) - indexOf(b));
  rows.forEach((row, at) => {
    row.style.transform = `translateY(calc(var(--row) * ${at}))`;
  });
  body.replaceChildren(...rows);
  body.style.height = `calc(var(--row) * ${rows.length})`;
  const rest = Number(grid.getAttribute("aria-rowcount") ?? 1) - 1 - rows.length;
  if (rest > 0) grid.after(element("p", { class: "quiet" }, SHARED_STRINGS.moreRows(rest)));
}
