// The signals that end a program from outside: the terminal is closed, Ctrl-C, Ctrl-\, `kill`.
//
// Node starts with the default for each of them, npm too: `nohup` does not protect them, `setsid` does.

/** Each with its exit code. */
const EXIT_CODES = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 });

/** @typedef {keyof typeof EXIT_CODES} EndingSignal */

export const ENDING_SIGNALS = /** @type {EndingSignal[]} */ (Object.keys(EXIT_CODES));

/** Does something at each of them, which then does not end this process. @param {(exitCode: number, signal: EndingSignal) => void} act */
export function onEndingSignal(act) {
  for (const signal of ENDING_SIGNALS) process.on(signal, () => act(EXIT_CODES[signal], signal));
}

let exits = false;

/** At them, too, the process ends with its `exit`, which ends VMs and removes accounts. */
export function exitAtEndingSignal() {
  if (exits) return;
  exits = true;
  onEndingSignal((exitCode) => process.exit(exitCode));
}
