// A call that waits. No vscode in here.

/** Calls after a time, unless the returned function is called before. */
export type Later = (ms: number, call: () => void) => () => void;

export const later: Later = (ms, call) => {
  const timer = setTimeout(call, ms);
  return () => {
    clearTimeout(timer);
  };
};
