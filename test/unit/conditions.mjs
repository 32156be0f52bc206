// Conditions of package.json (`when`), without parentheses, as the editor evaluates them.

/**
 * @param {string | undefined} condition   undefined: always met
 * @param {ReadonlySet<string>} holds      comparisons and context keys that are true, each as it is written there
 */
export const isMet = (condition, holds) =>
  condition === undefined ||
  condition
    .split(" || ")
    .some((all) => all.split(" && ").every((one) => (one.startsWith("!") ? !holds.has(one.slice(1)) : holds.has(one))));
