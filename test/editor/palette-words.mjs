// Words that people type into the palette, and the command of Extrospect that comes first without a capture.

/** @type {[string, RegExp][]} */
export const WORDS = [
  ["start capture", /^Start Capture \(Record/],
  ["profile", /^(Start Capture \(Record a CPU Profile|Profile a Command)/],
  ["record", /^Start Capture \(Record/],
  ["erlang", /^Start Capture \(Record/],
  ["elixir", /^Start Capture \(Record/],
  ["slow", /^Show Hot Functions \(Slow Code/],
  ["cpu", /^(Start Capture \(Record a CPU Profile|Show Hot Functions)/],
  ["gc", /^Show Blame: Who Causes GC/],
  ["mailbox", /^Show Processes of a VM \(Mailboxes/],
  ["message queue", /^Show Processes of a VM/],
  ["memory leak", /^Show Memory of a VM \(Find a Memory Leak\)/],
  ["flame", /^Show Flame Graph/],
  ["doctor", /^Check Permissions and Setup/],
];
