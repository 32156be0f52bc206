// What a module is called in its file, and what its file is called.

import type { FunctionFacts } from "../../capture/questions.js";
import { identityOf } from "./function-identity.js";
import { baseName } from "../../text/base-name.js";

/** A module as a capture knows it; two functions of it share one. */
export interface ModulePlace {
  /** As shown: `lists`, `Foo.Bar`; empty in profiles that do not name it. */
  readonly module: string;
  readonly isElixir: boolean;
  /** As the VM reports it, or what Erlang would call the file; never empty. */
  readonly file: string;
}

const SOURCE_ENDING = /\.(?:erl|hrl|ex|exs|yrl|xrl|eex|heex|leex)$/i;
const MAX_NESTING = 12;
export const SOURCE_GLOB = "**/*.{erl,hrl,ex,exs,yrl,xrl,eex,heex,leex}";

/** The module and file that a function is written in; undefined when neither is known, or it is no Erlang code. */
export function placeOf(fn: Pick<FunctionFacts, "rawName" | "kind" | "file">): ModulePlace | undefined {
  const identity = identityOf(fn.rawName);
  if (fn.file !== "") return SOURCE_ENDING.test(fn.file) ? { module: identity?.module ?? "", isElixir: identity?.isElixir ?? false, file: fn.file } : undefined;
  if (fn.kind !== "erlang" || identity === undefined || identity.isElixir || identity.module.includes("/")) return undefined;
  return { module: identity.module, isElixir: false, file: `${identity.module}.erl` };
}

export function placeKey(place: ModulePlace): string {
  return `${place.module} ${place.file}`;
}

/** Whether a text holds the module; undefined when the text leaves it open (it names no module, or it is a template). */
export function declaresModule(path: string, text: string, place: ModulePlace): boolean | undefined {
  if (place.module === "") return undefined;
  if (/\.erl$/i.test(path)) {
    const declared = /^-\s*module\s*\(\s*(?:'((?:\\.|[^'\\\n])*)'|([a-z][\w@]*))/m.exec(text);
    return declared === null ? undefined : (declared[1]?.replaceAll(/\\(.)/g, "$1") ?? declared[2]) === place.module;
  }
  if (/\.exs?$/i.test(path) && place.module.split(".").length <= MAX_NESTING) return elixirDeclares(text, place.module);
  return undefined;
}

/** Nested modules are written with the end of their name only, so each ending of the name that starts a part counts if its front is there too. */
function elixirDeclares(text: string, module: string): boolean {
  const parts = module.split(".");
  for (let from = 0; from < parts.length; from++) {
    const tail = parts.slice(from).join(".");
    const front = parts.slice(0, from).join(".");
    const declaration = new RegExp(String.raw`^\s*def(?:module|protocol)\s+(?:Elixir\.|__MODULE__\.)?${escape(tail)}\b(?!\.)`, "m");
    if (declaration.test(text) && (from === 0 || elixirDeclares(text, front))) return true;
  }
  // `defimpl Protocol, for: Type` makes Protocol.Type; within a module its own name may be left out.
  return [...text.matchAll(/^\s*defimpl\s+([\w.]+)/gm)].some((found) => module.includes(found[1]?.split(".").at(-1) ?? "\0"));
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

export function sourceBaseName(place: ModulePlace): string {
  return baseName(place.file);
}
