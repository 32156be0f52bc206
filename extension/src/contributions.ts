// Every id that package.json declares. A script holds the two against each other.

export const COMMANDS = {
  attach: "extrospect.attach",
  stopCapture: "extrospect.stopCapture",
  refreshTargets: "extrospect.refreshTargets",
  explainTarget: "extrospect.explainTarget",
  copyFix: "extrospect.copyFix",
  doctor: "extrospect.doctor",
  showStacks: "extrospect.showStacks",
  restartHelper: "extrospect.restartHelper",
  showLog: "extrospect.showLog",
  showFlameGraph: "extrospect.showFlameGraph",
  showBlame: "extrospect.showBlame",
  showTop: "extrospect.showTop",
  functionMenu: "extrospect.functionMenu",
  lineMenu: "extrospect.lineMenu",
  nextHotLine: "extrospect.nextHotLine",
  previousHotLine: "extrospect.previousHotLine",
  toggleLens: "extrospect.toggleLens",
  toggleGutter: "extrospect.toggleGutter",
  toggleLineBackground: "extrospect.toggleLineBackground",
  toggleLineFigures: "extrospect.toggleLineFigures",
  toggleHeatScope: "extrospect.toggleHeatScope",
  chooseMeasure: "extrospect.chooseMeasure",
  openSource: "extrospect.openSource",
  forgetSources: "extrospect.forgetSources",
  toggleHeat: "extrospect.toggleHeat",
  captureMenu: "extrospect.captureMenu",
  previousCapture: "extrospect.previousCapture",
  nextCapture: "extrospect.nextCapture",
  openCapture: "extrospect.openCapture",
  openAsCapture: "extrospect.openAsCapture",
  closeCapture: "extrospect.closeCapture",
  renameCapture: "extrospect.renameCapture",
  deleteCapture: "extrospect.deleteCapture",
  revealCapture: "extrospect.revealCapture",
  refreshCaptures: "extrospect.refreshCaptures",
} as const;

export const VIEWS = { targets: "extrospect.targets", captures: "extrospect.captures" } as const;
export const CAPTURE_EDITOR = "extrospect.captureEditor";
export const PANELS = { flameGraph: "extrospect.flameGraph", blame: "extrospect.blame", top: "extrospect.top", stacks: "extrospect.stacks" } as const;

/** Context keys for `when` clauses. */
export const CONTEXT = {
  /** A capture is running. */
  capturing: "extrospect.capturing",
  /** A capture is in view. */
  captureInView: "extrospect.captureInView",
  /** The captures of this workspace have been looked for. */
  capturesListed: "extrospect.capturesListed",
  /** Why the view of VMs shows what it shows: `unasked`, `listed`, `failed` or `noHelper`. */
  targetsState: "extrospect.targetsState",
} as const;

/** Settings, without the leading `extrospect.`: `setting(SETTINGS.…)` reads one. */
export const SETTINGS = {
  helperPath: "helper.path",
  traceServer: "trace.server",
  frequencyHz: "capture.frequencyHz",
  durationSeconds: "capture.durationSeconds",
  kernelFrames: "capture.kernelFrames",
  engine: "engine",
  captureFolder: "capture.folder",
  debuginfodFetch: "debuginfod.fetch",
  debuginfodServers: "debuginfod.servers",
  minimumSamples: "trust.minimumSamples",
  codeLens: "codeLens.enabled",
  codeLensMinimumPercent: "codeLens.minimumPercent",
  gutter: "heat.gutter",
  overviewRuler: "heat.overviewRuler",
  lineBackground: "heat.lineBackground",
  lineFigures: "heat.lineFigures",
  heatScope: "heat.scope",
  heatMinimumPercent: "heat.minimumPercent",
  measure: "measure",
  ownCodeIgnore: "ownCode.ignore",
} as const;

/** Theme colours. */
export const COLORS = {
  heat: ["extrospect.heat1", "extrospect.heat2", "extrospect.heat3", "extrospect.heat4", "extrospect.heat5"],
  overviewRuler: "extrospect.overviewRuler",
  figures: "extrospect.lineFigures",
} as const;
