// Which folder of the TypeScript sources may import which. docs/code-map.md states the purpose of each of them.

/**
 * @typedef {object} Layer
 * @property {string} path      a folder with all below it that has no entry of its own, or one file
 * @property {string[]} imports paths of layers it may import besides itself; only ones that stand above it here
 * @property {boolean} [vscode] whether it may import `vscode`; no when absent
 */

const EXTENSION = "extension/src";
const CAPTURE = `${EXTENSION}/capture`;
const SOURCES = `${EXTENSION}/sources`;
const PANELS = `${EXTENSION}/panels`;
const CONTRIBUTIONS = `${EXTENSION}/contributions.ts`;
const ACTIVATION_CONTEXT = `${EXTENSION}/activation-context.ts`;
const SETTING_VALUES = `${EXTENSION}/setting-values.ts`;
const SETTINGS = `${EXTENSION}/settings.ts`;
const EXTENSION_SERVICES = `${EXTENSION}/extension-services.ts`;
const DEADLINE = `${EXTENSION}/deadline.ts`;
const LATER = `${EXTENSION}/later.ts`;
const CHILD_PROGRAM = `${EXTENSION}/child-program.ts`;
const TEXT = `${EXTENSION}/text`;
const MESSAGES = `${EXTENSION}/messages`;
const HELPER = `${EXTENSION}/helper`;
const REMOTE = `${EXTENSION}/remote`;
const TARGETS = `${EXTENSION}/targets`;
const DETACHED = `${EXTENSION}/detached`;
const INSIDE = `${EXTENSION}/inside`;
const COMMITS = `${EXTENSION}/commits`;
const EDITOR_MODULE = `${EXTENSION}/editor-module`;
const BUILDS = `${EXTENSION}/builds`;
const CAPTURES = `${EXTENSION}/captures`;
const PROFILE_STORE = `${EXTENSION}/profile-store`;
const FLIGHT_RECORDER = `${EXTENSION}/flight-recorder`;
const COMMAND_PROFILE = `${EXTENSION}/command-profile`;
const COMPARISON = `${EXTENSION}/comparison`;

/** The parts that every page is made of. */
const PAGE_ROOMS = ["webviews/words", "webviews/elements", "webviews/grid", "webviews/page"];

/** The parts that any folder needs that talks with the editor. */
const GROUND = [
  "contract",
  CONTRIBUTIONS,
  ACTIVATION_CONTEXT,
  SETTING_VALUES,
  SETTINGS,
  DEADLINE,
  LATER,
  TEXT,
  MESSAGES,
];
/** The bottom of `capture`: its errors, its limits, and the questions with their answers. */
const QUESTIONS = [`${CAPTURE}/capture-error.ts`, `${CAPTURE}/limits.generated.ts`, `${CAPTURE}/questions.ts`];
/** The parts of `sources` that others see. */
const SOURCES_FACE = [`${SOURCES}/source-navigator.ts`, `${SOURCES}/rule-use.ts`, `${SOURCES}/mapped-file.ts`];
const ANNOTATE_AND_PANELS = [...GROUND, ...QUESTIONS, CAPTURES, ...SOURCES_FACE, EXTENSION_SERVICES];

/**
 * In the order in which they build on each other: no layer imports one below it, so there are no circles between them.
 */
export const LAYERS = /** @type {Layer[]} */ ([
  { path: "contract", imports: [] },
  { path: "webviews/words", imports: ["contract"] },
  { path: "webviews/elements", imports: ["contract", "webviews/words"] },
  { path: "webviews/grid", imports: ["contract", "webviews/words", "webviews/elements"] },
  { path: "webviews/page", imports: ["contract", "webviews/words", "webviews/elements"] },
  { path: "webviews/graph", imports: ["contract", "webviews/words", "webviews/elements", "webviews/grid"] },
  ...["blame", "memory", "processes", "stacks", "summary", "time-spent", "waits"].map((name) => ({
    path: `webviews/${name}`,
    imports: ["contract", ...PAGE_ROOMS],
  })),
  ...["compare", "flame-graph", "top"].map((name) => ({
    path: `webviews/${name}`,
    imports: ["contract", ...PAGE_ROOMS, "webviews/graph"],
  })),
  // The other differences of a step have the words of a comparison.
  { path: "webviews/history", imports: ["contract", ...PAGE_ROOMS, "webviews/compare"] },

  { path: CONTRIBUTIONS, imports: [] },
  { path: ACTIVATION_CONTEXT, imports: [], vscode: true },
  { path: SETTING_VALUES, imports: ["contract", CONTRIBUTIONS] },
  { path: SETTINGS, imports: [CONTRIBUTIONS, SETTING_VALUES], vscode: true },
  { path: DEADLINE, imports: [] },
  { path: LATER, imports: [] },
  { path: CHILD_PROGRAM, imports: [] },
  { path: TEXT, imports: ["contract"] },
  { path: MESSAGES, imports: ["contract", TEXT], vscode: true },

  { path: `${CAPTURE}/capture-error.ts`, imports: [] },
  { path: `${CAPTURE}/limits.generated.ts`, imports: [] },
  { path: `${CAPTURE}/questions.ts`, imports: ["contract", `${CAPTURE}/capture-error.ts`] },
  { path: `${CAPTURE}/columns`, imports: [] },
  { path: `${CAPTURE}/tables`, imports: ["contract", ...QUESTIONS, `${CAPTURE}/columns`] },
  { path: `${CAPTURE}/decode`, imports: ["contract", TEXT, ...QUESTIONS, `${CAPTURE}/columns`, `${CAPTURE}/tables`] },
  { path: `${CAPTURE}/answers`, imports: ["contract", ...QUESTIONS, `${CAPTURE}/columns`, `${CAPTURE}/tables`] },
  {
    path: `${CAPTURE}/flame`,
    imports: ["contract", ...QUESTIONS, `${CAPTURE}/columns`, `${CAPTURE}/tables`, `${CAPTURE}/answers`],
  },
  {
    path: CAPTURE,
    imports: [
      "contract",
      ...QUESTIONS,
      `${CAPTURE}/tables`,
      `${CAPTURE}/decode`,
      `${CAPTURE}/answers`,
      `${CAPTURE}/flame`,
    ],
  },
  { path: `${CAPTURE}/thread`, imports: [TEXT, ...QUESTIONS, CAPTURE] },

  { path: EDITOR_MODULE, imports: ["contract", CHILD_PROGRAM, TEXT] },

  { path: HELPER, imports: [...GROUND, CHILD_PROGRAM], vscode: true },
  { path: REMOTE, imports: [...GROUND, CHILD_PROGRAM, HELPER], vscode: true },
  { path: DETACHED, imports: [...GROUND, CAPTURE, HELPER, REMOTE], vscode: true },
  { path: TARGETS, imports: [...GROUND, HELPER, REMOTE, DETACHED], vscode: true },
  { path: INSIDE, imports: [...GROUND, HELPER, REMOTE, TARGETS], vscode: true },
  { path: COMMITS, imports: ["contract", CHILD_PROGRAM], vscode: true },
  { path: BUILDS, imports: ["contract", EDITOR_MODULE, COMMITS] },
  {
    path: CAPTURES,
    imports: [
      ...GROUND,
      ...QUESTIONS,
      `${CAPTURE}/answers`,
      CAPTURE,
      `${CAPTURE}/thread`,
      EDITOR_MODULE,
      TARGETS,
      COMMITS,
      BUILDS,
    ],
    vscode: true,
  },

  { path: PROFILE_STORE, imports: [...GROUND, CAPTURES], vscode: true },

  { path: `${SOURCES}/source-navigator.ts`, imports: [...QUESTIONS, CAPTURES], vscode: true },
  { path: `${SOURCES}/rule-use.ts`, imports: ["contract"] },
  { path: `${SOURCES}/mapped-file.ts`, imports: [CAPTURES, `${SOURCES}/rule-use.ts`], vscode: true },
  { path: `${SOURCES}/forms`, imports: [TEXT] },
  { path: `${SOURCES}/drift`, imports: [...QUESTIONS, ...SOURCES_FACE, `${SOURCES}/forms`], vscode: true },
  { path: `${SOURCES}/rules`, imports: GROUND, vscode: true },
  {
    path: `${SOURCES}/finding`,
    imports: [...GROUND, ...QUESTIONS, CAPTURES, ...SOURCES_FACE, `${SOURCES}/drift`, `${SOURCES}/rules`],
    vscode: true,
  },
  {
    path: `${SOURCES}/mapping`,
    imports: [
      ...GROUND,
      ...QUESTIONS,
      CAPTURES,
      ...SOURCES_FACE,
      `${SOURCES}/forms`,
      `${SOURCES}/drift`,
      `${SOURCES}/finding`,
    ],
    vscode: true,
  },
  {
    path: SOURCES,
    imports: [
      ...GROUND,
      ...QUESTIONS,
      CAPTURES,
      ...SOURCES_FACE,
      `${SOURCES}/drift`,
      `${SOURCES}/rules`,
      `${SOURCES}/finding`,
      `${SOURCES}/mapping`,
    ],
    vscode: true,
  },

  { path: EXTENSION_SERVICES, imports: [ACTIVATION_CONTEXT, CAPTURES, `${SOURCES}/source-navigator.ts`], vscode: true },
  {
    path: `${EXTENSION}/recording`,
    imports: [
      ...GROUND,
      ...QUESTIONS,
      CAPTURE,
      HELPER,
      REMOTE,
      DETACHED,
      TARGETS,
      COMMITS,
      CAPTURES,
      EXTENSION_SERVICES,
    ],
    vscode: true,
  },
  {
    path: FLIGHT_RECORDER,
    imports: [
      ...GROUND,
      HELPER,
      REMOTE,
      TARGETS,
      INSIDE,
      COMMITS,
      CAPTURES,
      EXTENSION_SERVICES,
      `${EXTENSION}/recording`,
    ],
    vscode: true,
  },
  {
    path: COMMAND_PROFILE,
    imports: [...GROUND, HELPER, COMMITS, CAPTURES, EXTENSION_SERVICES, `${EXTENSION}/recording`],
    vscode: true,
  },
  {
    path: COMPARISON,
    imports: [
      ...GROUND,
      ...QUESTIONS,
      `${CAPTURE}/answers`,
      `${CAPTURE}/flame`,
      EDITOR_MODULE,
      COMMITS,
      CAPTURES,
      ...SOURCES_FACE,
      `${SOURCES}/forms`,
      `${SOURCES}/drift`,
    ],
    vscode: true,
  },
  { path: `${EXTENSION}/annotate`, imports: [...ANNOTATE_AND_PANELS, COMPARISON], vscode: true },
  { path: `${PANELS}/page`, imports: ANNOTATE_AND_PANELS, vscode: true },
  { path: `${PANELS}/capture-panel`, imports: [...ANNOTATE_AND_PANELS, `${PANELS}/page`], vscode: true },
  ...["blame", "flame-graph", "top"].map((panel) => ({
    path: `${PANELS}/${panel}`,
    imports: [...ANNOTATE_AND_PANELS, `${PANELS}/page`, `${PANELS}/capture-panel`],
    vscode: true,
  })),
  {
    path: `${PANELS}/summary`,
    imports: [
      ...ANNOTATE_AND_PANELS,
      `${CAPTURE}/answers`,
      `${EXTENSION}/annotate`,
      `${PANELS}/page`,
      `${PANELS}/capture-panel`,
    ],
    vscode: true,
  },
  { path: `${PANELS}/compare`, imports: [...ANNOTATE_AND_PANELS, COMMITS, COMPARISON, `${PANELS}/page`], vscode: true },
  {
    path: `${PANELS}/history`,
    imports: [...ANNOTATE_AND_PANELS, COMPARISON, `${PANELS}/page`, `${PANELS}/compare`],
    vscode: true,
  },
  {
    path: `${PANELS}/stacks`,
    imports: [...ANNOTATE_AND_PANELS, HELPER, REMOTE, TARGETS, `${PANELS}/page`],
    vscode: true,
  },
  {
    path: `${PANELS}/processes`,
    imports: [...ANNOTATE_AND_PANELS, CAPTURE, HELPER, REMOTE, TARGETS, INSIDE, `${PANELS}/page`],
    vscode: true,
  },
  {
    path: `${PANELS}/memory`,
    imports: [...ANNOTATE_AND_PANELS, HELPER, REMOTE, TARGETS, INSIDE, `${PANELS}/page`],
    vscode: true,
  },
  {
    path: `${PANELS}/waits`,
    imports: [...ANNOTATE_AND_PANELS, HELPER, REMOTE, TARGETS, INSIDE, `${PANELS}/page`],
    vscode: true,
  },
  {
    path: `${PANELS}/time-spent`,
    imports: [...ANNOTATE_AND_PANELS, HELPER, REMOTE, TARGETS, INSIDE, `${PANELS}/page`, `${PANELS}/waits`],
    vscode: true,
  },
  {
    path: `${EXTENSION}/activate.ts`,
    imports: [
      ...GROUND,
      HELPER,
      REMOTE,
      TARGETS,
      INSIDE,
      CAPTURES,
      SOURCES,
      EXTENSION_SERVICES,
      PROFILE_STORE,
      COMPARISON,
      `${EXTENSION}/recording`,
      FLIGHT_RECORDER,
      COMMAND_PROFILE,
      `${EXTENSION}/annotate`,
      ...[
        "blame",
        "capture-panel",
        "compare",
        "flame-graph",
        "history",
        "memory",
        "page",
        "processes",
        "stacks",
        "summary",
        "time-spent",
        "top",
        "waits",
      ].map((panel) => `${PANELS}/${panel}`),
    ],
    vscode: true,
  },
]);

/** The layer a file belongs to: the longest path that fits. @param {string} file from the root, with slashes @param {Layer[]} [layers] */
export function layerOf(file, layers = LAYERS) {
  const fits = layers.filter(({ path }) => file === path || file.startsWith(`${path}/`));
  return fits.reduce(
    (/** @type {Layer | undefined} */ best, layer) =>
      best !== undefined && best.path.length >= layer.path.length ? best : layer,
    undefined,
  );
}

/** The faults of the table itself. @param {Layer[]} [layers] @returns {string[]} */
export function layerProblems(layers = LAYERS) {
  return layers.flatMap(({ path, imports }, index) => {
    const above = new Set(layers.slice(0, index).map((layer) => layer.path));
    return [
      ...(above.has(path) ? [`${path} is there twice`] : []),
      ...imports
        .filter((name) => !above.has(name))
        .map((name) => `${path} may import ${name}, which does not stand above it`),
    ];
  });
}
