// Limits of waiting.

/** Milliseconds for a start that takes seconds on an idle machine. Where many programs run beside it, it takes minutes; a longer one hangs. */
export const PATIENCE_MS = 180_000;

/** Milliseconds for a test file. One that still runs then hangs: it is ended and has failed, the others go on. */
export const LONGEST_FILE_MS = 20 * 60_000;

/** Milliseconds for a file that compiles the whole helper as one program: 17 minutes while all else is compiled, too. */
export const LONGEST_BUILD_MS = 45 * 60_000;
