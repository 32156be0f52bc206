// What a module is called in its file, and what its file is called.

import type { FunctionFacts } from "../../capture/questions.js";
import { NATIVE_SOURCE } from "../../text/native-source.js";
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

/** Files that can define a module. All others have lines of modules that other files define. */
const MODULE_SOURCE = /\.(?:erl|ex|exs|yrl|xrl|gleam|lfe|escript)$/i;
/** Names of scripts that `escript` runs. */
const SCRIPT = /^[^.]*$|\.escript$/i;
/** After the name of the file in that of a module of a script. */
const SCRIPT_MARK = "__escript__";
/** Headers and templates. The templates and the input of other generators have any ending. */
const INCLUDED_SOURCE = /\.(?:hrl|eex|heex|leex)$/i;
/** Endings of sources that are called like their module. */
const CALLED_LIKE_MODULES = ["erl", "lfe", "xrl", "yrl"];
const MAX_NESTING = 12;
/** Folders of tools, as globs: their files are no sources of the project. */
export const NO_SOURCES: readonly string[] = [
  "**/node_modules/**",
  "**/.git/**",
  "**/.elixir_ls/**",
  "**/.erlang_ls/**",
];
const SOURCE_ENDINGS = "erl,hrl,ex,exs,yrl,xrl,eex,heex,leex,gleam,lfe,escript,c,cc,cpp,cxx,h,hh,hpp,hxx,rs".split(",");
export const SOURCE_GLOB = `**/*.{${SOURCE_ENDINGS.join(",")}}`;
/** Other endings, and names without one, that are looked for: a capture that names more was made to take long. */
export const MOST_OTHER_ENDINGS = 20;

/** The module and file that a function is written in; undefined when neither is known. */
export function placeOf(fn: Pick<FunctionFacts, "rawName" | "kind" | "file">): ModulePlace | undefined {
  if (fn.kind === "native" || fn.kind === "nif")
    return NATIVE_SOURCE.test(fn.file) ? { module: "", isElixir: false, file: fn.file } : undefined;
  const identity = identityOf(fn.rawName);
  if (fn.file !== "")
    return MODULE_SOURCE.test(fn.file) ||
      INCLUDED_SOURCE.test(fn.file) ||
      (fn.kind === "erlang" && identity !== undefined && (mayBeIncluded(fn.file) || isOfScript(identity.module)))
      ? { module: identity?.module ?? "", isElixir: identity?.isElixir ?? false, file: fn.file }
      : undefined;
  if (fn.kind !== "erlang" || identity === undefined || identity.isElixir || identity.module.includes("/"))
    return undefined;
  return { module: identity.module, isElixir: false, file: `${identity.module}.erl` };
}

/** Not `nofile` and `iex`, which Elixir reports for code of no file. */
function mayBeIncluded(file: string): boolean {
  return /[./]/.test(file) && !NATIVE_SOURCE.test(file);
}

/** Of a script that does not name its module, which may be run by its name alone. */
function isOfScript(module: string): boolean {
  return module.includes(SCRIPT_MARK);
}

/** Whether a file of this name can define a module of Erlang, Elixir or another language of the VM. */
export function definesModules(file: string): boolean {
  return MODULE_SOURCE.test(file);
}

/** Files that are called like the module of a place: one of them may define it, whichever file the VM reports. */
export function placesCalledLike({ module, isElixir }: ModulePlace): ModulePlace[] {
  if (module === "" || isElixir || module.includes("/")) return [];
  return CALLED_LIKE_MODULES.map((ending) => ({ module, isElixir, file: `${module}.${ending}` }));
}

/** The files that a file is looked for among; undefined where its name is none that a glob could have as it is. */
export function globOf(file: string): string | undefined {
  const name = baseName(file);
  const ending = /\.([\w+-]+)$/.exec(name)?.[1];
  // Of a file without an ending, those of its name.
  if (ending === undefined) return /^[\w-]+$/.test(name) ? `**/${name}` : undefined;
  return SOURCE_ENDINGS.includes(ending.toLowerCase()) ? SOURCE_GLOB : `**/*.${ending}`;
}

export function placeKey(place: ModulePlace): string {
  return `${place.module} ${place.file}`;
}

/** Whether a text holds the module; undefined when the text leaves it open (it names no module, or it is a template). */
export function declaresModule(path: string, text: string, place: ModulePlace): boolean | undefined {
  if (place.module === "") return undefined;
  if (/\.erl$/i.test(path)) {
    const declared = erlangModule(text);
    return declared === undefined ? undefined : declared === place.module;
  }
  if (SCRIPT.test(baseName(path))) return scriptDeclares(path, text, place.module);
  // By default, a generator gives the module the name of its input.
  if (/\.[xy]rl$/i.test(path)) return baseName(path).slice(0, -4) === place.module ? true : undefined;
  if (/\.exs?$/i.test(path) && place.module.split(".").length <= MAX_NESTING) return elixirDeclares(text, place.module);
  // A Gleam module is called as its file below `src`, `test` or `dev`: `shop@cart` is `shop/cart.gleam`.
  if (/\.gleam$/i.test(path)) {
    const below = /^(?:.*\/)?(?:src|test|dev)\/(.+)\.gleam$/i.exec(path)?.[1];
    const file = place.module.replaceAll("@", "/");
    return below === undefined ? path.endsWith(`/${file}.gleam`) : below === file;
  }
  if (/\.lfe$/i.test(path)) {
    const declared = /^\s*\(defmodule\s+\(?\s*(?:\|([^|\n]+)\||([^\s()]+))/m.exec(text);
    return declared === null ? undefined : (declared[1] ?? declared[2]) === place.module;
  }
  return undefined;
}

/** The name that a text of Erlang gives its module. */
function erlangModule(text: string): string | undefined {
  const declared = /^-\s*module\s*\(\s*(?:'((?:\\.|[^'\\\n])*)'|([a-z][\w@]*))/m.exec(text);
  return declared?.[1]?.replaceAll(/\\(.)/g, "$1") ?? declared?.[2];
}

/**
 * Whether a script that `escript` runs is the module: one that does not name its module is a module with the name of its
 * file and a number. Undefined for a file without an ending that is no script. The command line follows the same rules
 * (own-code/src/declarations.rs).
 */
function scriptDeclares(path: string, text: string, module: string): boolean | undefined {
  const name = baseName(path);
  if (!/^#!.*escript/.test(text)) return name.includes(".") ? false : undefined;
  const end = module.lastIndexOf(SCRIPT_MARK);
  return (end >= 0 && module.slice(0, end) === name.replaceAll(".", "_")) || erlangModule(text) === module;
}

/** Whether a text declares the module as a protocol of Elixir. */
export function declaresProtocol(path: string, text: string, place: ModulePlace): boolean {
  return (
    /\.exs?$/i.test(path) &&
    place.module.split(".").length <= MAX_NESTING &&
    elixirDeclares(text, place.module, "protocol")
  );
}

/**
 * Whether a text of Elixir may make a module by a macro, by its name: it belongs to the same family as one that is in the text, is made for one of those, or the text names none.
 * A library may have a file of the same path: `lib/registry.ex`.
 */
export function mayMakeModule(text: string, { module }: ModulePlace): boolean {
  const names = [...text.matchAll(/^\s*def(?:module|protocol)\s+([\w.]+)/gm)].map(([, name = ""]) => name);
  const family = (name: string) => name.split(".")[0];
  return names.length === 0 || names.some((name) => family(name) === family(module) || module.endsWith(`.${name}`));
}

/** Whether code of a text of Elixir may be in a module that it does not name: of one that it makes, or by its macros. */
export function mayLendCode(text: string, place: ModulePlace): boolean {
  return mayMakeModule(text, place) || /^\s*defmacro/m.test(text);
}

/** Nested modules are written with the end of their name only, so each ending of the name that starts a part counts if its front is there too. */
function elixirDeclares(
  text: string,
  module: string,
  form: "protocol" | "(?:module|protocol)" = "(?:module|protocol)",
): boolean {
  const parts = module.split(".");
  for (let from = 0; from < parts.length; from++) {
    const tail = parts.slice(from).join(".");
    const front = parts.slice(0, from).join(".");
    const declaration = new RegExp(String.raw`^\s*def${form}\s+(?:Elixir\.|__MODULE__\.)?${escape(tail)}\b(?!\.)`, "m");
    if (declaration.test(text) && (from === 0 || elixirDeclares(text, front))) return true;
  }
  if (form === "protocol") return false;
  // `defimpl Protocol, for: Type` makes Protocol.Type; within a module its own name may be left out.
  return [...text.matchAll(/^\s*defimpl\s+([\w.]+)/gm)].some((found) =>
    module.includes(found[1]?.split(".").at(-1) ?? "\0"),
  );
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

export function sourceBaseName(place: ModulePlace): string {
  return baseName(place.file);
}
