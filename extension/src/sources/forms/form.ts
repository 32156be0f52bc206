// A function as its source text spells it.

/** All clauses of one function. Lines count from 1. */
export interface Form {
  /** As shown: `lists`, `Foo.Bar`; empty when the text does not name it. */
  readonly module: string;
  /** As the compiler names it: Elixir macros are `MACRO-name`. */
  readonly name: string;
  /** As the compiler counts it: Elixir macros have one more than is written. */
  readonly arity: number;
  readonly headLine: number;
  /** Head of every clause, the first included, ascending. */
  readonly clauseLines: readonly number[];
  readonly endLine: number;
}

/** Joins forms of the same function: alternatives behind `-ifdef`, clauses torn apart, Elixir clauses. */
export function mergeForms(found: readonly Form[]): Form[] {
  const merged = new Map<string, Form>();
  for (const form of found) {
    const key = `${form.module} ${form.name} ${form.arity}`;
    const before = merged.get(key);
    merged.set(
      key,
      before === undefined
        ? form
        : {
            ...before,
            clauseLines: [...before.clauseLines, ...form.clauseLines],
            endLine: Math.max(before.endLine, form.endLine),
          },
    );
  }
  return [...merged.values()];
}
