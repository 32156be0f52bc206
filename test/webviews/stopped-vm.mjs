// A VM that a signal has stopped, as the helper reports it to panels.

/** An `Explanation` of the protocol. */
export const STANDSTILL = {
  what: "process 4711 is halted: a signal has stopped it",
  why: "",
  fix: "",
  messages: { what: { code: "vmStopped", arguments: { pid: "4711" } } },
  command: "kill -CONT 4711",
};

/** The same of a VM of which the kernel does not show whether it runs. */
export const STANDSTILL_UNKNOWN = {
  what: "it is not known whether process 4711 is halted: the kernel shows neither its control group nor where it waits",
  why: "",
  fix: "root sees where it waits",
  messages: { what: { code: "whetherHaltedUnknown", arguments: { pid: "4711" } } },
  command: "sudo extrospect doctor 4711",
};
