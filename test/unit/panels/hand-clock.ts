// A clock that a test moves on.
import type { Later } from "../../../extension/src/later.js";

export function handClock() {
  let nowMs = 0;
  let waiting: { readonly at: number; readonly call: () => void }[] = [];
  const later: Later = (ms, call) => {
    const one = { at: nowMs + ms, call };
    waiting.push(one);
    return () => {
      waiting = waiting.filter((other) => other !== one);
    };
  };
  return {
    nowMs: () => nowMs,
    later,
    waiting: () => waiting.length,
    /** Something takes so long. */
    spend: (ms: number) => (nowMs += ms),
    /** Calls that wait are made when their time comes. */
    pass: (ms: number) => {
      const end = nowMs + ms;
      for (let next = waiting.find(({ at }) => at <= end); next; next = waiting.find(({ at }) => at <= end)) {
        const { at, call } = next;
        waiting = waiting.filter((other) => other !== next);
        nowMs = Math.max(nowMs, at);
        call();
      }
      nowMs = Math.max(nowMs, end);
    },
  };
}
