// Every id that package.json declares. A script holds the two against each other.

export const COMMANDS = {
  attach: "extrospect.attach",
  attachOnHost: "extrospect.attachOnHost",
  attachInContainer: "extrospect.attachInContainer",
  attachSeveral: "extrospect.attachSeveral",
  connectHost: "extrospect.connectHost",
  disconnectHost: "extrospect.disconnectHost",
  forgetHost: "extrospect.forgetHost",
  refreshHosts: "extrospect.refreshHosts",
  stopCapture: "extrospect.stopCapture",
  connectedNodes: "extrospect.connectedNodes",
  recordDetached: "extrospect.recordDetached",
  openDetached: "extrospect.openDetached",
  fetchDetached: "extrospect.fetchDetached",
  stopDetached: "extrospect.stopDetached",
  deleteDetached: "extrospect.deleteDetached",
  refreshTargets: "extrospect.refreshTargets",
  explainTarget: "extrospect.explainTarget",
  copyFix: "extrospect.copyFix",
  doctor: "extrospect.doctor",
  showStacks: "extrospect.showStacks",
  restartHelper: "extrospect.restartHelper",
  installPrivilegedHelper: "extrospect.installPrivilegedHelper",
  removePrivilegedHelper: "extrospect.removePrivilegedHelper",
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
  openTogether: "extrospect.openTogether",
  closeCapture: "extrospect.closeCapture",
  renameCapture: "extrospect.renameCapture",
  deleteCapture: "extrospect.deleteCapture",
  revealCapture: "extrospect.revealCapture",
  refreshCaptures: "extrospect.refreshCaptures",
  filterCaptures: "extrospect.filterCaptures",
  showAllCaptures: "extrospect.showAllCaptures",
  groupCaptures: "extrospect.groupCaptures",
  noteCapture: "extrospect.noteCapture",
  tagCapture: "extrospect.tagCapture",
  pinCapture: "extrospect.pinCapture",
  assignCommit: "extrospect.assignCommit",
  exportCapture: "extrospect.exportCapture",
  exportCaptures: "extrospect.exportCaptures",
  importCaptures: "extrospect.importCaptures",
  openFromStore: "extrospect.openFromStore",
  tidyCaptures: "extrospect.tidyCaptures",
  profileAgain: "extrospect.profileAgain",
  compareCaptures: "extrospect.compareCaptures",
  compareCommit: "extrospect.compareCommit",
  compareNodes: "extrospect.compareNodes",
  selectForCompare: "extrospect.selectForCompare",
  compareWithSelected: "extrospect.compareWithSelected",
  setBaseline: "extrospect.setBaseline",
  clearBaseline: "extrospect.clearBaseline",
} as const;

export const VIEWS = { targets: "extrospect.targets", hosts: "extrospect.hosts", captures: "extrospect.captures" } as const;
export const CAPTURE_EDITOR = "extrospect.captureEditor";
export const PANELS = { flameGraph: "extrospect.flameGraph", blame: "extrospect.blame", top: "extrospect.top", stacks: "extrospect.stacks", compare: "extrospect.compare" } as const;

/** Context keys for `when` clauses. */
export const CONTEXT = {
  /** A capture is running. */
  capturing: "extrospect.capturing",
  /** A capture is in view. */
  captureInView: "extrospect.captureInView",
  /** The list of captures shows only some. */
  capturesFiltered: "extrospect.capturesFiltered",
  /** The captures of this workspace have been looked for. */
  capturesListed: "extrospect.capturesListed",
  /** A capture is chosen as the older side of a comparison. */
  selectedForCompare: "extrospect.selectedForCompare",
  /** Other hosts were connected to, now or before. */
  hasHosts: "extrospect.hasHosts",
  /** Captures are held against a baseline. */
  baselineSet: "extrospect.baselineSet",
  /** Why the view of VMs shows what it shows: `unasked`, `listed`, `failed` or `noHelper`. */
  targetsState: "extrospect.targetsState",
} as const;

/** Settings, without the leading `extrospect.`: `setting(SETTINGS.…)` reads one. */
export const SETTINGS = {
  helperPath: "helper.path",
  helperStartBy: "helper.startBy",
  sshProgram: "remote.sshProgram",
  remoteStartBy: "remote.startBy",
  nodeHosts: "remote.nodeHosts",
  remoteCommands: "remote.commands",
  traceServer: "trace.server",
  frequencyHz: "capture.frequencyHz",
  durationSeconds: "capture.durationSeconds",
  kernelFrames: "capture.kernelFrames",
  engine: "engine",
  workCommand: "capture.workCommand",
  workMetric: "capture.workMetric",
  workName: "capture.workName",
  captureFolder: "capture.folder",
  captureShare: "capture.share",
  keepAtMost: "capture.keepAtMost",
  keepDays: "capture.keepDays",
  debuginfodFetch: "debuginfod.fetch",
  debuginfodServers: "debuginfod.servers",
  storeUrl: "store.url",
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
