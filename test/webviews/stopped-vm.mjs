// A VM that a signal has stopped, as the helper reports it to panels.

/** An `Explanation` of the protocol. */
export const STANDSTILL = {
  what: "process 4711 is halted: a signal has stopped it",
  why: "",
  fix: "",
  messages: { what: { code: "vmStopped", arguments: { pid: "4711" } } },
  command: "kill -CONT 4711",
};
