// Names of files that can be opened as captures. package.json repeats the names in menus and in the capture editor's
// selector; a test compares the two. No vscode in here.

/** Endings of captures and pprof profiles; a file may be compressed. */
const PPROF_ENDINGS = ["pb", "pprof"];
/** Endings of other tools' profiles: folded stacks (eflambe's, and as the flame graph exports them), speedscope, V8, the text of `perf script`, OpenTelemetry. */
const FOREIGN_ENDINGS = [
  "folded",
  "folded.txt",
  "collapsed",
  "collapsed.txt",
  "bggg",
  "speedscope.json",
  "cpuprofile",
  "perf",
  "otlp",
];

const PLAIN_ENDINGS = [...PPROF_ENDINGS, ...FOREIGN_ENDINGS];

/**
 * Endings of all files that are offered to be opened as captures, without the dot in front. The contents of a file
 * decide; a file of another name opens as well.
 */
export const PROFILE_ENDINGS: readonly string[] = PLAIN_ENDINGS.flatMap((ending) => [`${ending}.gz`, ending]);

/** Endings that dialogs offer: a user who searches there knows the contents. */
export const DIALOG_ENDINGS: readonly string[] = [...PROFILE_ENDINGS, "gz", "txt", "json"];

/** A usual name for the text of `perf script`. */
const PERF_TEXT = "perf.txt";
/** What samply and the Firefox Profiler call their files, the latter with words in front: `Firefox 2026-11-21 14.03 profile.json.gz`. */
const FIREFOX_PROFILE = "profile.json";

/** Patterns of names for the capture editor. */
export const PROFILE_GLOBS: readonly string[] = [
  ...PROFILE_ENDINGS.map((ending) => `*.${ending}`),
  `*${PERF_TEXT}`,
  `*${FIREFOX_PROFILE}`,
  `*${FIREFOX_PROFILE}.gz`,
];

/** Names that menus offer to open as captures, as a regular expression. */
export const PROFILE_NAMES = new RegExp(
  `(\\.(${inPattern(PLAIN_ENDINGS)})(\\.gz)?|${inPattern([PERF_TEXT])}|(^|\\W|_)${inPattern([FIREFOX_PROFILE])}(\\.gz)?)$`,
);

function inPattern(texts: readonly string[]): string {
  return texts.map((text) => text.replaceAll(".", "\\.")).join("|");
}
