// The page in sight as a file for browsers, opened in its tab.
import assert from "node:assert/strict";
import { until } from "../until.mjs";

const ALIVE = [
  "script",
  "button",
  "input",
  "select",
  "dialog",
  "[hidden]",
  "[onerror]",
  "vscode-button",
  "vscode-checkbox",
  "vscode-textfield",
  "vscode-single-select",
].join(", ");

/**
 * @param {Awaited<ReturnType<Awaited<ReturnType<typeof import("./panel-page.mjs").startPanelPages>>["open"]>>} view
 * @param {(of: {title: string, language: string, style: string, document: unknown}) => string} exportedPage
 */
export async function openExported({ page, tell, of }, exportedPage) {
  const style = await (await page.request.get(new URL("/page.css", page.url()).href)).text();
  await tell({ type: "document" });
  const document = await until("the document", () => of("pageDocument")[0]);
  const html = exportedPage({ title: "A & B", language: "en", style, document });
  assert.match(html, /^<!DOCTYPE html>[^]*default-src &#39;none&#39;[^]*<title>A &amp; B<\/title>/);
  await page.goto(`data:text/html;base64,${Buffer.from(html).toString("base64")}`);
  await until(
    "a page without a script, and nothing that needs one",
    async () => (await page.locator(ALIVE).count()) === 0,
  );
}
