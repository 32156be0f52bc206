// The origin of a module's code, from the files of the workspace. No vscode in here.

import type { CodeOrigin } from "../source-navigator.js";
import type { FunctionIdentity } from "./function-identity.js";
import { declaresModule, declaresProtocol, mayMakeModule, type ModulePlace } from "./module-file.js";
import { NATIVE_SOURCE } from "../../text/native-source.js";
import { chooseSource, endsWithPath, mayBeNative } from "./path-likeness.js";

/** A file of the workspace that has the name a module's file has. */
export interface NamesakeFile {
  /** Absolute, with slashes. */
  readonly path: string;
  /** Of the folder of the workspace that it is in. */
  readonly workspaceFolder: string;
  /** Not in a place that is ignored. */
  readonly isOwn: boolean;
  /** Whether its text holds the module: `protocol` for one whose functions only dispatch, `macro` where one may make it. Undefined when the text leaves it open. */
  readonly declares: boolean | "protocol" | "macro" | undefined;
}

/** How a text declares a module. */
export function declaration(path: string, text: string, place: ModulePlace): NamesakeFile["declares"] {
  if (declaresProtocol(path, text, place)) return "protocol";
  const declares = declaresModule(path, text, place);
  return declares === false && place.isElixir && mayMakeModule(text, place) ? "macro" : declares;
}

/** The facts of a module in its text. */
export interface ModuleOrigin {
  readonly origin: CodeOrigin;
  /** The functions only choose the implementation to call: their time is that of their callers. */
  readonly isDispatch: boolean;
}

/** The origin of a module whose files a rule about paths names; without any, it is a library's here. */
export function originOfRuled(place: ModulePlace, files: readonly NamesakeFile[]): ModuleOrigin {
  return originBy(place, files.find(({ isOwn }) => isOwn) ?? files[0]);
}

/**
 * The origin of a module: the file that declares it decides; for a module that no text names, as macros make them, its
 * path does.
 */
export function originOf(place: ModulePlace, files: readonly NamesakeFile[]): ModuleOrigin {
  const declaring = files.filter(({ declares }) => declares === true || declares === "protocol");
  const open = files.filter(
    ({ declares, path }) => (declares === undefined || declares === "macro") && endsWithPath(path, place.file),
  );
  const among = declaring.length > 0 ? declaring : open;
  const found = NATIVE_SOURCE.test(place.file)
    ? mostAlike(place, files)
    : (among.find(({ isOwn }) => isOwn) ?? among[0]);
  return originBy(place, found);
}

function originBy(place: ModulePlace, found: NamesakeFile | undefined): ModuleOrigin {
  if (found === undefined)
    return { origin: { kind: "library", application: applicationOf(place.file, "") }, isDispatch: false };
  const kind = found.isOwn ? "own" : "dependency";
  return {
    origin: { kind, application: applicationOf(found.path, found.workspaceFolder) },
    isDispatch: found.declares === "protocol",
  };
}

/** The file of C, C++ or Rust that the compiler names, if it is one of these and no other. */
function mostAlike({ file }: ModulePlace, files: readonly NamesakeFile[]): NamesakeFile | undefined {
  const candidates = files
    .filter(({ path }) => mayBeNative(path, file))
    .map((each) => ({ file: each, path: each.path, relative: each.path.slice(each.workspaceFolder.length + 1) }));
  const { best } = chooseSource(file, candidates);
  return best.length === 1 ? best[0]?.file : undefined;
}

/**
 * Whether a function of a module whose file is own code is own code too. What a dependency's macro made keeps that dependency's file: written by the user is then the function around it,
 * while closures of such code are reached from there.
 */
export function isOwnFunction(
  fn: Pick<FunctionIdentity, "isInner">,
  ofItsFile: ModuleOrigin,
  ofItsModule: ModuleOrigin | undefined,
): boolean {
  if (ofItsFile.isDispatch || ofItsModule?.isDispatch === true) return false;
  return ofItsFile.origin.kind === "own" || (ofItsModule?.origin.kind === "own" && !fn.isInner);
}

/** Folders that hold one folder for each application, and those that hold its sources. */
const APPLICATIONS = new Set(["apps", "deps", "_checkouts", "lib"]);
const SOURCES = new Set(["src", "lib", "test", "include", "web", "c_src", "native"]);

/** The application a file belongs to, by the folders around it; that of the workspace folder's name when there are none. */
export function applicationOf(path: string, workspaceFolder: string): string {
  const parts = path.replaceAll("\\", "/").split("/");
  parts.pop();
  for (let at = parts.length - 2; at > 0; at--) {
    const name = parts[at] ?? "";
    if (APPLICATIONS.has(parts[at - 1] ?? "") && SOURCES.has(parts[at + 1] ?? "") && name !== "")
      return name.replace(/-\d[\w.~-]*$/, "");
  }
  if (workspaceFolder === "") return "";
  const within = path.slice(workspaceFolder.length + 1).split("/");
  const ofSources = within.findIndex((part) => SOURCES.has(part));
  return within[ofSources - 1] ?? workspaceFolder.split("/").findLast((part) => part !== "") ?? "";
}
