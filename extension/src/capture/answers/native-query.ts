import type { FunctionFacts } from "../questions.js";
import { NAME_ALIASES, NATIVE_GROUPS, type NamePatterns, type NativeGroup } from "./groups.generated.js";

export { NATIVE_GROUPS };

/**
 * Whether functions are what a question names: a group (`copy`), the library of a NIF (`nif:crypto`), a symbol (`copy_struct`)
 * or the name an older VM had for it. Erlang functions never are: they have the stack for a cause.
 */
export function nativeQuery(query: string): (facts: FunctionFacts) => boolean {
  const matches = queryFor(query);
  return (facts) => facts.kind !== "erlang" && facts.kind !== "marker" && matches(facts);
}

function queryFor(query: string): (facts: FunctionFacts) => boolean {
  if (query.startsWith("nif:")) {
    const library = query.slice("nif:".length);
    return ({ kind, object }) => kind === "nif" && object.includes(library);
  }
  const group = NATIVE_GROUPS.find(({ name }) => name === query);
  if (group) return ({ name }) => fits(group, baseName(name));
  const alias = NAME_ALIASES.find(({ name }) => name === query);
  if (alias) return ({ name }) => baseName(name) === query || fits(alias, baseName(name));
  return ({ name }) => name === query || baseName(name) === query;
}

/** The group of a function; undefined where it is in none. */
export function nativeGroupOf(name: string): NativeGroup | undefined {
  const base = baseName(name);
  return NATIVE_GROUPS.find((group) => fits(group, base));
}

function fits({ exact, prefixes }: NamePatterns, name: string): boolean {
  return exact.includes(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** The name in the source: without what compilers append (`copy_struct_x.part.0`), and out of a plain mangled C++ name (`_Z26beam_jit_take_receive_lockP7process`). */
export function baseName(name: string): string {
  const dot = name.indexOf(".");
  // A dot in a name with a colon, a slash or an exclamation mark is no suffix.
  const base = dot > 0 && !/[:!/]/.test(name) ? name.slice(0, dot) : name;
  const mangled = /^_Z(\d{1,6})/.exec(base);
  if (!mangled) return base;
  const length = Number(mangled[1]);
  const rest = base.slice(mangled[0].length);
  return rest.length < length ? base : rest.slice(0, length);
}
