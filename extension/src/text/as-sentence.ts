// Clauses as sentences.

/** A clause that follows a colon elsewhere, with a capital letter and a full stop; empty text stays empty. */
export function asSentence(clause: string): string {
  const [first = "", ...rest] = clause;
  const stop = clause === "" || /[.!?…]$/.test(clause) ? "" : ".";
  return `${first.toLocaleUpperCase()}${rest.join("")}${stop}`;
}
