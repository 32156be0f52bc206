// Folders that may hold sources, from the command line of a VM.

export interface InstallFolder {
  readonly folder: string;
  /** Holds one folder per application, each with `src` or `lib`; else holds the sources itself. */
  readonly isLibrary: boolean;
}

const USUAL_ROOTS = ["/usr/lib/erlang", "/usr/local/lib/erlang"];
const USUAL_ELIXIR = ["/usr/lib/elixir/lib", "/usr/local/lib/elixir/lib"];
const MAX_FOLDERS = 200;

/** `-root DIR` names the OTP installation; each `-pa DIR/ebin` an application. */
export function candidateFolders(command: string): InstallFolder[] {
  const words = command.split(/\s+/);
  const root = words[words.indexOf("-root") + 1];
  const roots = words.includes("-root") && root?.startsWith("/") ? [root, ...USUAL_ROOTS] : USUAL_ROOTS;
  const libraries = [...new Set([...roots.map((each) => `${each}/lib`), ...USUAL_ELIXIR])];
  const applications = words.flatMap((word) => (word.startsWith("/") && word.endsWith("/ebin") ? [word.slice(0, -"/ebin".length)] : []));
  const sources = [...new Set(applications)].slice(0, MAX_FOLDERS).flatMap((each) => [`${each}/src`, `${each}/lib`]);
  return [...sources.map((folder) => ({ folder, isLibrary: false })), ...libraries.map((folder) => ({ folder, isLibrary: true }))];
}
