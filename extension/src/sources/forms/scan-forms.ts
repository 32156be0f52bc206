import { NATIVE_SOURCE } from "../../text/native-source.js";
import { scanElixirForms } from "./elixir-forms.js";
import { scanErlangForms } from "./erlang-forms.js";
import type { Form } from "./form.js";
import { scanNativeForms } from "./native-forms.js";

/** Functions of a source file, by its name's ending; none for templates and other files without functions. */
export function scanForms(path: string, text: string): Form[] {
  if (/\.(?:erl|hrl|yrl|xrl)$/i.test(path)) return scanErlangForms(text);
  if (/\.exs?$/i.test(path)) return scanElixirForms(text);
  if (NATIVE_SOURCE.test(path)) return scanNativeForms(path, text);
  return [];
}
