// The origin of a module's code, from the files of the workspace. No vscode in here.

import type { CodeOrigin } from "../source-navigator.js";
import type { FunctionIdentity } from "./function-identity.js";
import { declaresModule, declaresProtocol, definesModules, mayMakeModule, type ModulePlace } from "./module-file.js";
import { NATIVE_SOURCE } from "../../text/native-source.js";
import {
  chooseSource,
  endsWithPath,
  endsWithFolderPath,
  mayBeNative,
  mayHold,
  type SourceCandidate,
} from "./path-likeness.js";

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
  /** The file defines no module: its code is own code in modules of own code alone. */
  readonly isLent?: true;
  /** A rule about paths decided: nothing is to be guessed. */
  readonly isRuled?: true;
}

const OF_LIBRARY: CodeOrigin = { kind: "library", application: "" };

/** The origin of a module whose files a rule about paths names; without any, it is a library's here. */
export function originOfRuled(place: ModulePlace, files: readonly NamesakeFile[]): ModuleOrigin {
  return { ...originBy(place, files.find(({ isOwn }) => isOwn) ?? files[0]), isRuled: true };
}

/**
 * The origin of a module: the file that declares it decides; for a module that no text names, as macros make them, its
 * path does.
 */
export function originOf(place: ModulePlace, files: readonly NamesakeFile[]): ModuleOrigin {
  if (NATIVE_SOURCE.test(place.file)) {
    const { best } = chooseSource(
      place.file,
      candidatesOf(files).filter(({ path }) => mayBeNative(path, place.file)),
    );
    return originBy(place, best.length === 1 ? best[0]?.file : undefined);
  }
  const declaring = files.filter(({ declares }) => declares === true || declares === "protocol");
  // A script, which is a module of its own, may have no ending.
  if (!definesModules(place.file) && declaring.length === 0)
    return originOfIncluded(
      place,
      files.filter(({ declares }) => declares !== false),
    );
  const open = files.filter(
    ({ declares, path }) => (declares === undefined || declares === "macro") && endsWithPath(path, place.file),
  );
  const among = declaring.length > 0 ? declaring : open;
  return originBy(place, among.find(({ isOwn }) => isOwn) ?? among[0]);
}

/**
 * The origin of code in a file that defines no module: a header, a template, the input of a generator. Whose it is, the
 * module decides; but of a module of Elixir its templates may be all that is known, and the VM names them by their paths
 * below the project.
 */
function originOfIncluded(place: ModulePlace, files: readonly NamesakeFile[]): ModuleOrigin {
  const { best } = chooseSource(
    place.file,
    candidatesOf(files).filter((candidate) => mayHold(place.file, candidate)),
  );
  const isCertain = best.length === 1 || best.every(({ file }) => file.isOwn);
  const found = isCertain ? best[0]?.file : undefined;
  const origin = originBy(place, found);
  const mayDecide = place.isElixir || place.file.startsWith("/");
  return found === undefined || (mayDecide && endsWithFolderPath(found.path, place.file))
    ? origin
    : { ...origin, isLent: true };
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

function candidatesOf(files: readonly NamesakeFile[]): SourceCandidate<NamesakeFile>[] {
  return files.map((file) => ({ file, path: file.path, relative: file.path.slice(file.workspaceFolder.length + 1) }));
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
  const isOfOwnModule = ofItsModule?.origin.kind === "own";
  const isInOwnFile = ofItsFile.origin.kind === "own" && (ofItsFile.isLent !== true || isOfOwnModule);
  return isInOwnFile || (isOfOwnModule && !fn.isInner);
}

/** The origin of a function that is no own code: a file of the user's that it has lines of may be another one, called alike. */
export function otherOrigin({ origin, isLent }: ModuleOrigin): CodeOrigin {
  return isLent === true && origin.kind === "own" ? OF_LIBRARY : origin;
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
