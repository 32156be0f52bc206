// Takes the name of a function apart: its module, and the function of the source that it belongs to.

/** A function name taken apart. */
export interface FunctionIdentity {
  /** As shown: `lists`, `Foo.Bar` (no `Elixir.` in front). */
  readonly module: string;
  /** The function in whose text the code is: of a closure or comprehension the one around it. */
  readonly name: string;
  readonly arity: number;
  readonly isElixir: boolean;
  /** The code is a closure or comprehension inside `name`: the VM's head line for it is no function head. */
  readonly isInner: boolean;
  /** C, C++ or Rust. */
  readonly isNative?: true;
}

const ELIXIR = "Elixir.";
/** Longer ones were made to take long. */
const LONGEST_NATIVE_NAME = 2_000;
// `-sales/1-lc$^0/1-0-`, `-call/4-fun-0-`, `-inlined-foo/1-`
const INNER = /^-(?:inlined-)?(.+?)\/(\d+)-/;
// `fun foo/1` as a value
const REFERENCE = /^-fun\.(.+)\/(\d+)-$/;

/**
 * Takes `'Elixir.Enum':map/2`, `lists:sort/1` or `demo:'-sales/1-lc$^0/1-0-'/2` apart.
 * @returns undefined for a text that is no Erlang function name
 */
export function identityOf(rawName: string): FunctionIdentity | undefined {
  const module = atomAt(rawName, 0);
  if (module === undefined || rawName[module.end] !== ":") return undefined;
  const name = atomAt(rawName, module.end + 1);
  if (name === undefined) return undefined;
  const arity = /^\/(\d{1,3})$/.exec(rawName.slice(name.end))?.[1];
  if (arity === undefined) return undefined;
  const isElixir = module.value.startsWith(ELIXIR);
  const inner = REFERENCE.exec(name.value) ?? INNER.exec(name.value);
  return {
    module: isElixir ? module.value.slice(ELIXIR.length) : module.value,
    name: inner?.[1] ?? name.value,
    arity: Number(inner?.[2] ?? arity),
    isElixir,
    isInner: inner !== null,
  };
}

/**
 * Takes the name of a C, C++ or Rust function apart: `<T as shop::Shape>::area`, `scored.constprop.0`.
 * The raw name stands for the module, as functions of different types share a name.
 */
export function nativeIdentityOf(name: string, rawName: string): FunctionIdentity {
  const isInner = /\{(?:\{closure\}|closure#\d+)\}/.test(name);
  const written = name
    .slice(0, LONGEST_NATIVE_NAME)
    .replace(/::\{(?:\{closure\}|closure#\d+)\}.*$/, "")
    .replace(/(?:::)?<[^<>]*(?:<[^<>]*>[^<>]*)*>$/, "")
    .replace(/\.(?:constprop|part|isra|cold|llvm|lto_priv)\b.*$/, "");
  return {
    module: rawName,
    name: /[^:]*$/.exec(written)?.[0] ?? written,
    arity: 0,
    isElixir: false,
    isInner,
    isNative: true,
  };
}

function atomAt(text: string, start: number): { value: string; end: number } | undefined {
  if (text[start] !== "'") {
    let end = start;
    while (end < text.length && text[end] !== ":" && text[end] !== "/") end++;
    return end > start ? { value: text.slice(start, end), end } : undefined;
  }
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "'") return { value, end: at + 1 };
    if (character === "\\") value += text[++at] ?? "";
    else value += character;
  }
  return undefined;
}
