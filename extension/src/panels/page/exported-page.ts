// The document of a page as a file of its own for browsers. No vscode in here.

import type { PageDocument } from "../../../../contract/messages/any-page.js";
import { escapeHtml } from "../../../../contract/plain-text.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/** Scroll in a panel. */
const SCROLLERS =
  ".body, .body-main, .tab-panel, .content, .list, .details, .detail, .scrolling, .cards, .map, .grid, .nodes, .notes, .symbols";
/** The document is as long as its content, so no part of it scrolls. */
const AS_LONG_AS_ITS_CONTENT = `html, body { height: auto; overflow: visible; }
${SCROLLERS} { flex: none; max-block-size: none; overflow: visible; }
.grid-heads { position: static; }`;
/** Nothing in it can be clicked, and no tab of an editor names the view. */
const WITHOUT_EDITOR = `:is(.link, .place, .node), :is(.link, .place, .node):hover { color: inherit !important; text-decoration: none !important; }
:is(.link, .place, .node, .sort, .split-entry, .twistie, [role="tab"]) { cursor: auto !important; }
h1.unseen { position: static; inline-size: auto; block-size: auto; overflow: visible; clip-path: none; white-space: normal; }`;

export interface ExportedPage {
  readonly title: string;
  readonly language: string;
  /** The page's style sheet. */
  readonly style: string;
  readonly document: PageDocument;
}

export function exportedPage({ title, language, style, document }: ExportedPage): string {
  const { rootStyle, bodyClass, body } = document;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(language)}" style="${escapeHtml(rootStyle)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
${style}
${AS_LONG_AS_ITS_CONTENT}
${WITHOUT_EDITOR}
</style>
</head>
<body class="${escapeHtml(bodyClass)}">
${body}
</body>
</html>
`;
}
