// Conditions that are offered: those used before, the last one first, and examples. No vscode in here.

const EXAMPLES = [
  "mailbox>10000 or runqueue>20 or memory>8GB",
  "mailbox>10000",
  "runqueue>20",
  "memory>8GB",
  "collections/s>5000 and runqueue>4",
];
const MOST_KEPT = 5;
const MOST_CHARS = 1000;

export interface OfferedCondition {
  readonly condition: string;
  readonly isUsed: boolean;
}

/** @param kept the stored earlier ones, unchecked: any value is possible */
export function offeredConditions(kept: unknown): OfferedCondition[] {
  const used = known(kept);
  const examples = EXAMPLES.filter((example) => !used.includes(example));
  return [
    ...used.map((condition) => ({ condition, isUsed: true })),
    ...examples.map((condition) => ({ condition, isUsed: false })),
  ];
}

/** What to keep when this one was used. */
export function withLast(kept: unknown, condition: string): string[] {
  return [condition, ...known(kept).filter((one) => one !== condition)].slice(0, MOST_KEPT);
}

function known(kept: unknown): string[] {
  if (!Array.isArray(kept)) return [];
  return kept
    .filter((one): one is string => typeof one === "string" && one !== "" && one.length <= MOST_CHARS)
    .slice(0, MOST_KEPT);
}
