// The page of a capture file: its facts, or why it cannot be shown. No script, no resource. No vscode in here.

import { escapeHtml, type Words } from "../../../contract/plain-text.js";
import { asSentence } from "../text/as-sentence.js";
import { captureFactRows, captureProblems, type CaptureSummary } from "./capture-summary.js";
import { qualityFigures } from "./quality.js";

export interface PageText {
  /** As `vscode.env.language`. */
  readonly language: string;
  /** Unguessable, new for each page. */
  readonly nonce: string;
  readonly l10n: Words;
}

/** Facts and quality of a capture. */
export function summaryPage(title: string, summary: CaptureSummary, text: PageText): string {
  const { l10n, language } = text;
  const problems = captureProblems(summary, l10n, language);
  const quality =
    summary.quality === null ? "" : section(l10n.t("Quality"), table(qualityFigures(summary.quality, l10n, language)));
  const warnings =
    problems.length === 0
      ? ""
      : `<ul role="note">${problems.map((problem) => `<li>${escapeHtml(problem)}</li>`).join("")}</ul>`;
  return page(
    title,
    `<h1>${escapeHtml(title)}</h1>${warnings}${section(l10n.t("Capture"), table(captureFactRows(summary, l10n, language)))}${quality}`,
    text,
  );
}

/** The problem, its cause and the remedy. */
export function problemPage(what: string, why: string, fix: string, text: PageText): string {
  return page(
    what,
    `<h1>${escapeHtml(what)}</h1><p role="alert">${escapeHtml(asSentence(why))}</p><p>${escapeHtml(fix)}</p>`,
    text,
  );
}

/** While the file is read. */
export function waitingPage(message: string, text: PageText): string {
  return page(message, `<p role="status">${escapeHtml(message)}</p>`, text);
}

function section(name: string, content: string): string {
  return `<section><h2>${escapeHtml(name)}</h2>${content}</section>`;
}

function table(rows: readonly { readonly name: string; readonly value: string }[]): string {
  const lines = rows.map(
    ({ name, value }) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<table>${lines.join("")}</table>`;
}

function page(title: string, body: string, { language, nonce }: PageText): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">
body { color: var(--vscode-foreground); font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); padding: 1em 2em; overflow-wrap: anywhere; }
h1 { font-size: 1.4em; font-weight: 600; }
h2 { font-size: 1.1em; font-weight: 600; margin-top: 1.5em; }
th { text-align: start; font-weight: normal; color: var(--vscode-descriptionForeground); padding-inline-end: 2em; }
td { font-variant-numeric: tabular-nums; }
</style>
</head>
<body><main>${body}</main></body>
</html>`;
}
