// Whatever was thrown, in words and for the log.

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For `LogOutputChannel.error`, which writes the stack of an Error. */
export function forLog(error: unknown): Error | string {
  return error instanceof Error ? error : String(error);
}
