// The way by a command of the user's. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import { HelperError } from "../helper/helper-error.js";
import { CommandProblem, type CommandTemplate } from "./command-template.js";
import { failureOf, type FailureKind } from "./command-failures.js";
import type { HostWay } from "./host-way.js";

/** Placeholders that need no prompt: files that come with the extension. */
export const GIVEN_FILES = { debugProfile: "docs/kubernetes/debug-profile.yaml" } as const;

/** The name of the host, its command, and the values of the placeholders. */
export interface CommandUse {
  /** The host's name. */
  readonly name: string;
  readonly template: CommandTemplate;
  readonly values: Readonly<Record<string, string>>;
  /** Placeholders that the extension fills in. */
  readonly given: Readonly<Record<string, string>>;
}

/** @throws {HelperError} when a value is missing or does not go into an argument */
export function commandWay({ name, template, values, given }: CommandUse, l10n: Words): HostWay {
  const unreachable = (what: string, why: string, fix: string) => new HelperError("unreachable", what, why, fix);
  const { program } = template;
  const args = checked(() => template.arguments(values, given), name, l10n);
  // To be read and tried out; nothing here ever runs it as a line.
  const line = plainText([program, ...args].map(quoted).join(" "), 400);
  return {
    program,
    arguments: args,
    startBy: "itself",
    cannotStart: (why) =>
      unreachable(
        l10n.t("{0} cannot be started", plainText(program)),
        why,
        l10n.t("Install it, or write its full path into `extrospect.remote.commands`."),
      ),
    ended: (why, code) =>
      unreachable(l10n.t("No shell answers in {0}", name), why, fixFor(failureOf(why, code), line, l10n)),
    noShellFix: l10n.t("Run `{0}` in a terminal: a shell must answer, and it must print nothing by itself.", line),
    fixOf: (step) => {
      switch (step) {
        case "folder":
        case "write":
        case "execute":
          return l10n.t(
            "In `extrospect.remote.commands`, let the command start `/usr/bin/env XDG_CACHE_HOME=/tmp /bin/sh`, or name another folder that is writable and not noexec. Or profile the VM from its host, which lists it, too.",
          );
        case "checksums":
          return l10n.t(
            "Use an image that has sha256sum (busybox has). Or profile the VM from its host, which lists it, too.",
          );
        default:
          return undefined;
      }
    },
  };
}

function checked(work: () => string[], name: string, l10n: Words): string[] {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CommandProblem)) throw error;
    const why =
      error.what === "missing"
        ? l10n.t("{0} is missing", error.about)
        : l10n.t("{0} has a character that such a name never contains, or starts with a dash", error.about);
    throw new HelperError(
      "unreachable",
      l10n.t("{0} is not a host", name),
      why,
      l10n.t("Choose it again by “Start Capture in a Container”."),
    );
  }
}

/** What to do, in words of that command. */
function fixFor(kind: FailureKind, line: string, l10n: Words): string {
  switch (kind) {
    case "gone":
      return l10n.t("It has ended, or was replaced by another: choose again by “Start Capture in a Container”.");
    case "noShell":
      return l10n.t(
        "The image has no shell: use `kubectl debug`, which provides one, or profile the VM from its host, which lists it, too.",
      );
    case "refused":
      return l10n.t(
        "Get the right to do that (the group of the daemon, `pods/exec` or `pods/ephemeralcontainers`, a rule of sudo), then try `{0}` in a terminal.",
        line,
      );
    case "noDaemon":
      return l10n.t(
        "The service behind it does not answer: start it, or choose another by its configuration, then try `{0}` in a terminal.",
        line,
      );
    case "other":
      return l10n.t("Try `{0}` in a terminal: what works there works here.", line);
  }
}

/** As a person would type it. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
