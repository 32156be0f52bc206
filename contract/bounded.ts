// Numbers kept inside their bounds. No vscode, no page.

/** The nearest value that is not outside; the upper bound wins where the bounds contradict each other. */
export function bounded(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
