// Where a name of a function is cut when room is short. Nothing of a document in here.

/** Characters at the end of a function. */
const END_STAYS = 10;

export interface NameParts {
  /** Is cut first. Empty without a module. */
  readonly module: string;
  /** Is cut when the module is as short as it gets. */
  readonly start: string;
  /** Is cut when nothing else is left. */
  readonly end: string;
}

/** `jsx_decoder`, `:finish_nu`, `mber/5`; all three together are the name. */
export function nameParts(name: string): NameParts {
  const at = functionAt(name);
  const characters = [...name.slice(at)];
  const end = characters.slice(-END_STAYS).join("");
  return { module: name.slice(0, at), start: characters.slice(0, -END_STAYS).join(""), end };
}

/** Where the function begins, with the sign before it; 0 without a module. */
function functionAt(name: string): number {
  if (!/\/\d+$/.test(name)) return 0;
  let quoted = false;
  let found = 0;
  for (let at = 0; at < name.length; at++) {
    const sign = name[at];
    if (sign === "'") quoted = !quoted;
    else if (!quoted && (sign === ":" || sign === ".") && at > 0) found = at;
    // Only the arity follows, or other functions that a closure is in.
    else if (!quoted && (sign === "/" || sign === " ")) break;
  }
  return found;
}
