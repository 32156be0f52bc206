// The compilers' own facts about functions and their lines.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface CompiledFunction {
  readonly file: string;
  readonly module: string;
  readonly name: string;
  readonly arity: number;
  readonly clauseLines: readonly number[];
}

// Includes that are missing leave errors in the list of forms; the functions are there all the same.
const ERLANG = `
[begin
   Dir = filename:dirname(F),
   {ok, Forms} = epp:parse_file(F, [{includes, [Dir, filename:join(Dir, "../include")]}]),
   lists:foldl(
     fun ({attribute, _, file, {N, _}}, _) -> filename:basename(N) =:= filename:basename(F);
         ({function, _, Name, Arity, Clauses}, true) ->
             io:format("~ts\\t\\t~ts\\t~p\\t~ts~n", [F, Name, Arity, lists:join(",", [integer_to_list(erl_anno:line(element(2, C))) || C <- Clauses])]),
             true;
         (_, Own) -> Own
     end, true, Forms)
 end || F <- init:get_plain_arguments()],
halt().`;

const ELIXIR = `
[source, folder] = System.argv()
{:ok, _, _} = Kernel.ParallelCompiler.compile_to_path([source], folder)
for file <- Path.wildcard(folder <> "/*.beam") do
  {:ok, {module, [debug_info: {:debug_info_v1, _, {:elixir_v1, map, _}}]}} = :beam_lib.chunks(String.to_charlist(file), [:debug_info])
  for {{name, arity}, kind, meta, clauses} <- map.definitions do
    macro = kind in [:defmacro, :defmacrop]
    lines = [meta[:line] | Enum.map(clauses, fn clause -> elem(clause, 0)[:line] end)]
    IO.puts(Enum.join([source, inspect(module), (if macro, do: "MACRO-", else: "") <> Atom.to_string(name), (if macro, do: arity + 1, else: arity), Enum.join(lines, ",")], "\t"))
  end
end`;

/** Clauses of all functions, as the Erlang preprocessor and parser see them. */
export function erlangFunctions(files: readonly string[]): CompiledFunction[] {
  return parse(
    execFileSync("erl", ["-noshell", "-eval", ERLANG.replaceAll("\n", " "), "-extra", ...files], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 1e8,
    }),
  );
}

/** Functions and macros of an Elixir file, as the compiler keeps them in its debug information. */
export function elixirFunctions(file: string): CompiledFunction[] {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-elixir-"));
  try {
    return parse(
      execFileSync("elixir", ["-e", ELIXIR, "--", file, folder], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parse(text: string): CompiledFunction[] {
  return text
    .split("\n")
    .map((line) => line.split("\t"))
    .filter((fields) => fields.length === 5)
    .map(([file = "", module = "", name = "", arity = "", lines = ""]) => ({
      file,
      module,
      name,
      arity: Number(arity),
      clauseLines: lines.split(",").map(Number),
    }));
}
