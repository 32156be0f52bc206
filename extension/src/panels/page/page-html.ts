// The page of a webview. No data, no inline script and no inline style: those would need a weaker policy.

import { escapeHtml } from "../../../../contract/plain-text.js";

export interface PageSources {
  readonly nonce: string;
  /** What the editor allows resources from (`webview.cspSource`). */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Of the strings in the page. */
  readonly language: string;
}

export function contentSecurityPolicy({ nonce, cspSource }: Pick<PageSources, "nonce" | "cspSource">): string {
  return `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource}; base-uri 'none'; form-action 'none'`;
}

export function webviewPage(title: string, sources: PageSources): string {
  return `<!DOCTYPE html>
<html lang="${escapeHtml(sources.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentSecurityPolicy(sources))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${escapeHtml(sources.styleUri)}">
</head>
<body>
<script type="module" nonce="${escapeHtml(sources.nonce)}" src="${escapeHtml(sources.scriptUri)}"></script>
</body>
</html>
`;
}
