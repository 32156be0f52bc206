// What a test changes on the machine, and what undoes it: after the test, or at the end of a process that is ended before.

/** Adds a step that undoes, and another one in its place at an exit. @typedef {(step: () => unknown, atExit?: () => unknown) => void} Undo */

/**
 * The steps that undo are taken after the test, the last first. A process that is ended by a signal runs no hooks: it takes
 * those that are left as it exits, where nothing can be awaited.
 * @param {{after: (undo: () => unknown) => unknown}} t   a test, or an object like one
 * @returns {Undo} `atExit` is for a step that waits
 */
export function undoneAfter(t) {
  /** @type {{step: () => unknown, atExit: () => unknown}[]} */
  const steps = [];
  const undoAtExit = () => {
    for (const { atExit } of steps.splice(0).reverse()) {
      try {
        atExit();
      } catch (error) {
        process.stderr.write(`not undone: ${String(error)}\n`);
      }
    }
  };
  process.on("exit", undoAtExit);
  t.after(async () => {
    for (let last = steps.at(-1); last !== undefined; last = steps.at(-1)) {
      await last.step();
      steps.pop();
    }
    process.off("exit", undoAtExit);
  });
  return (step, atExit = step) => void steps.push({ step, atExit });
}
