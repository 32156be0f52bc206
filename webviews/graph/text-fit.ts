// Labels in boxes. The function's name matters more than its module, so the module gives way first.

/** `module:`, `'quoted module':` or `namespace::`. */
const MODULE = /^(?:'[^']*'|[^:']+)::?/;

/** Name and suffix in at most `chars` characters; the suffix is left out where a useful part of the name would not stay beside it. */
export function fitLabel(name: string, suffix: string, chars: number): string {
  const fitted = fitText(name, chars - suffix.length);
  return suffix === "" || fitted === "" ? fitText(name, chars) : fitted + suffix;
}

/** The name in at most `chars` characters; empty when not even a useful part fits. */
export function fitText(name: string, chars: number): string {
  if (chars < 3) return "";
  if (name.length <= chars) return name;
  const separator = MODULE.exec(name)?.[0].length ?? 0;
  const local = separator > 0 && separator < name.length ? `:${name.slice(separator)}` : "";
  // "module:function/2" -> "mod…:function/2" while at least two letters of the module stay.
  if (local !== "" && local.length + 3 <= chars) return `${name.slice(0, chars - local.length - 1)}…${local}`;
  if (local !== "" && local.length - 1 <= chars) return local.slice(1);
  const text = local === "" ? name : local.slice(1);
  return `${text.slice(0, chars - 1)}…`;
}
