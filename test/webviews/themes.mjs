// What the editor sets on a webview's root for its own themes, as far as the webviews use it.

const dark = {
  "--vscode-settings-textInputBackground": "#313131", "--vscode-settings-textInputForeground": "#cccccc", "--vscode-settings-textInputBorder": "#3c3c3c",
  "--vscode-settings-checkboxBackground": "#313131", "--vscode-settings-checkboxForeground": "#cccccc", "--vscode-settings-checkboxBorder": "#3c3c3c",
  "--vscode-button-hoverBackground": "#026ec1", "--vscode-editorWidget-foreground": "#cccccc", "--vscode-widget-border": "#313131", "--vscode-widget-shadow": "rgba(0, 0, 0, 0.36)",
  "--vscode-foreground": "#cccccc", "--vscode-editor-background": "#1f1f1f", "--vscode-editor-foreground": "#cccccc",
  "--vscode-descriptionForeground": "#9d9d9d", "--vscode-disabledForeground": "rgba(204, 204, 204, 0.5)", "--vscode-errorForeground": "#f85149",
  "--vscode-focusBorder": "#0078d4", "--vscode-input-background": "#313131", "--vscode-input-foreground": "#cccccc",
  "--vscode-input-border": "#3c3c3c", "--vscode-input-placeholderForeground": "#989898",
  "--vscode-button-background": "#0078d4", "--vscode-button-foreground": "#ffffff", "--vscode-button-border": "rgba(255, 255, 255, 0.07)",
  "--vscode-button-secondaryBackground": "#313131", "--vscode-button-secondaryForeground": "#cccccc", "--vscode-button-secondaryHoverBackground": "#3c3c3c",
  "--vscode-dropdown-background": "#313131", "--vscode-dropdown-foreground": "#cccccc", "--vscode-dropdown-border": "#3c3c3c",
  "--vscode-list-activeSelectionBackground": "#04395e", "--vscode-list-activeSelectionForeground": "#ffffff", "--vscode-list-hoverBackground": "#2a2d2e",
  "--vscode-editorHoverWidget-background": "#202020", "--vscode-editorHoverWidget-foreground": "#cccccc", "--vscode-editorHoverWidget-border": "#454545",
  "--vscode-editorWidget-background": "#202020", "--vscode-panel-border": "#2b2b2b",
  "--vscode-charts-foreground": "#cccccc", "--vscode-charts-red": "#f14c4c", "--vscode-charts-blue": "#3794ff", "--vscode-charts-yellow": "#cca700",
  "--vscode-charts-orange": "#d18616", "--vscode-charts-green": "#89d185", "--vscode-charts-purple": "#b180d7",
};
const light = {
  "--vscode-settings-textInputBackground": "#ffffff", "--vscode-settings-textInputForeground": "#3b3b3b", "--vscode-settings-textInputBorder": "#cecece",
  "--vscode-settings-checkboxBackground": "#f8f8f8", "--vscode-settings-checkboxForeground": "#3b3b3b", "--vscode-settings-checkboxBorder": "#cecece",
  "--vscode-button-hoverBackground": "#0258a8", "--vscode-editorWidget-foreground": "#3b3b3b", "--vscode-widget-border": "#e5e5e5", "--vscode-widget-shadow": "rgba(0, 0, 0, 0.16)",
  "--vscode-foreground": "#3b3b3b", "--vscode-editor-background": "#ffffff", "--vscode-editor-foreground": "#3b3b3b",
  "--vscode-descriptionForeground": "#3b3b3b", "--vscode-disabledForeground": "rgba(97, 97, 97, 0.5)", "--vscode-errorForeground": "#b01011",
  "--vscode-focusBorder": "#005fb8", "--vscode-input-background": "#ffffff", "--vscode-input-foreground": "#3b3b3b",
  "--vscode-input-border": "#cecece", "--vscode-input-placeholderForeground": "#767676",
  "--vscode-button-background": "#005fb8", "--vscode-button-foreground": "#ffffff", "--vscode-button-border": "rgba(0, 0, 0, 0.1)",
  "--vscode-button-secondaryBackground": "#e5e5e5", "--vscode-button-secondaryForeground": "#3b3b3b", "--vscode-button-secondaryHoverBackground": "#cccccc",
  "--vscode-dropdown-background": "#ffffff", "--vscode-dropdown-foreground": "#3b3b3b", "--vscode-dropdown-border": "#cecece",
  "--vscode-list-activeSelectionBackground": "#e8e8e8", "--vscode-list-activeSelectionForeground": "#000000", "--vscode-list-hoverBackground": "#f2f2f2",
  "--vscode-editorHoverWidget-background": "#f8f8f8", "--vscode-editorHoverWidget-foreground": "#3b3b3b", "--vscode-editorHoverWidget-border": "#c8c8c8",
  "--vscode-editorWidget-background": "#f8f8f8", "--vscode-panel-border": "#e5e5e5",
  "--vscode-charts-foreground": "#3b3b3b", "--vscode-charts-red": "#e51400", "--vscode-charts-blue": "#0063d3", "--vscode-charts-yellow": "#bf8803",
  "--vscode-charts-orange": "#d18616", "--vscode-charts-green": "#388a34", "--vscode-charts-purple": "#652d90",
};
const highContrast = {
  "--vscode-settings-textInputBackground": "#000000", "--vscode-settings-textInputForeground": "#ffffff", "--vscode-settings-textInputBorder": "#6fc3df",
  "--vscode-settings-checkboxBackground": "#000000", "--vscode-settings-checkboxForeground": "#ffffff", "--vscode-settings-checkboxBorder": "#6fc3df",
  "--vscode-editorWidget-foreground": "#ffffff",
  "--vscode-foreground": "#ffffff", "--vscode-editor-background": "#000000", "--vscode-editor-foreground": "#ffffff",
  "--vscode-descriptionForeground": "rgba(255, 255, 255, 0.7)", "--vscode-disabledForeground": "#a5a5a5", "--vscode-errorForeground": "#f48771",
  "--vscode-focusBorder": "#f38518", "--vscode-contrastBorder": "#6fc3df", "--vscode-contrastActiveBorder": "#f38518",
  "--vscode-input-background": "#000000", "--vscode-input-foreground": "#ffffff", "--vscode-input-border": "#6fc3df", "--vscode-input-placeholderForeground": "rgba(255, 255, 255, 0.7)",
  "--vscode-button-foreground": "#ffffff", "--vscode-button-background": "#000000", "--vscode-button-border": "#6fc3df",
  "--vscode-button-secondaryForeground": "#ffffff", "--vscode-dropdown-background": "#000000", "--vscode-dropdown-foreground": "#ffffff", "--vscode-dropdown-border": "#6fc3df",
  "--vscode-editorHoverWidget-background": "#0c141f", "--vscode-editorHoverWidget-foreground": "#ffffff", "--vscode-editorHoverWidget-border": "#6fc3df",
  "--vscode-editorWidget-background": "#0c141f", "--vscode-widget-border": "#6fc3df", "--vscode-panel-border": "#6fc3df",
  "--vscode-charts-foreground": "#ffffff", "--vscode-charts-red": "#f14c4c", "--vscode-charts-blue": "#3794ff", "--vscode-charts-yellow": "#cca700",
  "--vscode-charts-orange": "#d18616", "--vscode-charts-green": "#89d185", "--vscode-charts-purple": "#b180d7",
};
const fonts = { "--vscode-font-family": "system-ui, sans-serif", "--vscode-font-size": "13px", "--vscode-editor-font-family": "'DejaVu Sans Mono', monospace" };

/** @type {Record<string, {bodyClass: string, variables: Record<string, string>}>} */
export const THEMES = {
  dark: { bodyClass: "vscode-dark", variables: { ...dark, ...fonts } },
  light: { bodyClass: "vscode-light", variables: { ...light, ...fonts } },
  "high-contrast": { bodyClass: "vscode-high-contrast", variables: { ...highContrast, ...fonts } },
};
