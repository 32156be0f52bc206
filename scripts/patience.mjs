// How long to wait for something that takes seconds on an idle machine.

/** Milliseconds. Where many programs run beside it, a start takes minutes; a longer one hangs. */
export const PATIENCE_MS = 180_000;
