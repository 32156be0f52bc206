// The editor's theme as colours the canvas can use.

import { createPalette, type Palette } from "./colour.js";

export interface Theme {
  readonly palette: Palette;
  readonly fontFamily: string;
}

/** @param paints the property that frames are coloured by */
export function readTheme(paints: "kinds" | "changes" = "kinds"): Theme {
  const style = getComputedStyle(document.documentElement);
  const highContrast =
    document.body.classList.contains("vscode-high-contrast") ||
    document.body.classList.contains("vscode-high-contrast-light");
  return {
    palette: createPalette((name) => style.getPropertyValue(name), highContrast, paints),
    fontFamily: style.getPropertyValue("--vscode-editor-font-family").trim() || "monospace",
  };
}

export function reducedMotion(): boolean {
  return (
    document.body.classList.contains("vscode-reduce-motion") || matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}

/** The editor changes classes of the body and variables of the root when the theme changes. */
export function onThemeChange(changed: () => void): void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-vscode-theme-id"] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style", "class"] });
}
