// The page as a document of its own: its content, without scripts and without the controls that need them.

import type { PageDocument } from "../../contract/messages/any-page.js";
import { element } from "../elements/dom.js";
import { FILTERS, filterText, type FilterControl } from "../elements/filter-text.js";
import { whileWhole } from "../elements/whole-page.js";
import { SHARED_STRINGS } from "../words/page-words.js";
import { isDocumentRequest } from "./document-request.js";

const LEFT_OUT = [
  "script",
  "[hidden]",
  // Of use in the editor only.
  ".in-editor",
  // Its text is elsewhere in the page.
  '.unseen[role="status"]',
  "dialog",
  "select",
  "input",
  "vscode-button",
  "vscode-checkbox",
  "vscode-textfield",
  "vscode-single-select",
  ".combobox",
  ".menu",
  ".column-border",
].join(", ");
/** What a button has that its text needs, for its looks. */
const KEPT_OF_BUTTONS = ["id", "class", "style", "role", "aria-selected"];

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
  const filters = document.body.querySelectorAll<FilterControl>(FILTERS);
  body.querySelectorAll<HTMLElement>(FILTERS).forEach((control, index) => {
    const original = filters[index];
    const text = original ? filterText(original) : "";
    if (text !== "" && !control.hidden) control.replaceWith(element("span", { class: "quiet" }, text));
  });
  for (const part of body.querySelectorAll(LEFT_OUT)) part.remove();
  for (const button of body.querySelectorAll("button")) button.replaceWith(textOf(button));
  for (const grid of body.querySelectorAll<HTMLElement>(".grid")) putInOrder(grid);
  return {
    type: "pageDocument",
    rootStyle: document.documentElement.style.cssText,
    bodyClass: document.body.className,
    body: body.innerHTML,
  };
}

/** Without scripts a button does nothing: its text stays. */
function textOf(button: HTMLButtonElement): HTMLElement {
  const text = button.ownerDocument.createElement("span");
  for (const name of KEPT_OF_BUTTONS) {
    const value = button.getAttribute(name);
    if (value !== null) text.setAttribute(name, value);
  }
  if (button.getAttribute("aria-pressed") === "true") text.setAttribute("aria-current", "true");
  text.append(...button.childNodes);
  return text;
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
