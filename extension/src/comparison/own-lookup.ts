// Whose code functions of compared captures are: by the files of each capture's commit, else by what the capture knows, else by today's workspace. No vscode in here.

import { plainText, type Words } from "../../../contract/plain-text.js";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { Capture } from "../capture/questions.js";
import { filesThen, type FilesThen, type NoFiles } from "../commits/files-then.js";
import type { GitProgram } from "../commits/git-program.js";
import type { FolderThen } from "../sources/source-navigator.js";
import { ownFunctions } from "./comparison-sides.js";
import { fileName } from "../text/base-name.js";

const LONGEST_NAME = 80;

export interface WorkspaceFolderPath {
  /** On this machine. */
  readonly fsPath: string;
  /** With slashes. */
  readonly path: string;
}

export interface OwnCodeTeller<Opened> {
  /** Marks the own code of the capture by today's files. */
  now(opened: Opened): Promise<void>;
  then(opened: Opened, folders: readonly FolderThen[]): Promise<readonly number[]>;
}

export interface CaptureOfCommit {
  readonly uri: { readonly path: string };
  readonly capture: Pick<Capture, "functions" | "isOwnCode" | "facts">;
}

/** Why own code is that of today. */
type Today = "no-commit" | "untrusted" | "no-repository" | NoFiles;
/** Or that of the source paths in the capture. */
type Kind = Today | `by-paths-${NoFiles}`;

interface LookedUp {
  readonly then: readonly { readonly folder: WorkspaceFolderPath; readonly files: FilesThen }[];
  /** Why it is not the whole commit. */
  readonly why: Exclude<Today, "no-commit"> | undefined;
}

export class OwnLookup<Opened extends CaptureOfCommit> {
  readonly #known = new Map<string, Promise<LookedUp>>();
  readonly #otherwise = new Map<Kind, string[]>();

  /** @param git undefined where git must not be called */
  constructor(
    private readonly git: GitProgram | undefined,
    private readonly folders: readonly WorkspaceFolderPath[],
    private readonly teller: OwnCodeTeller<Opened>,
  ) {}

  /** Name and file of each function of own code, as the capture has them; null when it is not known which are. */
  async functionsOf(opened: Opened): Promise<[string, string][] | null> {
    const { origin } = opened.capture.facts;
    if (origin === undefined || origin.commit === "") return this.#today(opened, "no-commit");
    const { then, why } = await this.#filesThen(origin);
    if (then.length === 0) return this.#today(opened, why ?? "no-repository");
    if (why === "unknown-commit" || why === "unlisted") this.#note(`by-paths-${why}`, opened);
    const folders = then.map(({ folder, files }) => ({ workspaceFolder: folder.path, files }));
    const own = await this.teller.then(opened, folders);
    return own.flatMap((index): [string, string][] => {
      const fn = opened.capture.functions[index];
      return fn === undefined ? [] : [[fn.name, fn.file]];
    });
  }

  /** What a reader has to know of it; one sentence each. */
  remarks(words: Words): string[] {
    return [...this.#otherwise].map(([kind, names]) => {
      const [first = ""] = names;
      const isOne = names.length === 1;
      const captures = isOne ? first : words.t("{0} and {1} more", first, names.length - 1);
      switch (kind) {
        case "no-commit":
          return isOne
            ? words.t(
                "{0}: own code is the code of the workspace today, because its commit is unknown; modules that were renamed or removed since then do not count.",
                captures,
              )
            : words.t(
                "{0}: own code is the code of the workspace today, because their commit is unknown; modules that were renamed or removed since then do not count.",
                captures,
              );
        case "unknown-commit":
          return isOne
            ? words.t(
                "{0}: own code is the code of the workspace today, because its repository does not contain the commit; fetch it (git fetch --unshallow in a shallow clone).",
                captures,
              )
            : words.t(
                "{0}: own code is the code of the workspace today, because its repository does not contain their commits; fetch them (git fetch --unshallow in a shallow clone).",
                captures,
              );
        case "by-paths-unknown-commit":
          return isOne
            ? words.t(
                "{0}: own code is derived from the source paths in the capture, because the repository does not contain the commit; fetch it (git fetch --unshallow in a shallow clone).",
                captures,
              )
            : words.t(
                "{0}: own code is derived from the source paths in the captures, because the repository does not contain their commits; fetch them (git fetch --unshallow in a shallow clone).",
                captures,
              );
        case "untrusted":
          return words.t(
            "{0}: own code is the code of the workspace today, because git, which knows the files of the commit, runs only in trusted workspaces.",
            captures,
          );
        case "no-repository":
          return words.t(
            "{0}: own code is the code of the workspace today, because the workspace is in no repository that git may read.",
            captures,
          );
        case "unlisted":
          return words.t(
            "{0}: own code is the code of the workspace today, because git did not list the files of the commit in time; compare again.",
            captures,
          );
        case "by-paths-unlisted":
          return words.t(
            "{0}: own code is derived from the source paths in the capture, because git did not list the files of the commit in time; compare again.",
            captures,
          );
      }
    });
  }

  #filesThen(origin: OriginFacts): Promise<LookedUp> {
    const key = JSON.stringify([origin.commit, origin.sources]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const looked = this.#lookFor(origin);
    this.#known.set(key, looked);
    return looked;
  }

  /** Folders of a repository that has the commit; only without any those that the capture knows. */
  async #lookFor(origin: OriginFacts): Promise<LookedUp> {
    const { git } = this;
    if (git === undefined) return { then: [], why: "untrusted" };
    const looked = await Promise.all(
      this.folders.map(async (folder) => ({ folder, found: await filesThen(git, folder.fsPath, origin) })),
    );
    const reasons = looked.flatMap(({ found }) => found?.why ?? []);
    const found = looked.flatMap(({ folder, found: it }) =>
      it?.files === undefined ? [] : [{ folder, files: it.files }],
    );
    const whole = found.filter(({ files }) => files.isWhole);
    if (whole.length > 0) return { then: whole, why: undefined };
    // A list that came too late may be that of the repository that has the commit.
    return { then: found, why: reasons.includes("unlisted") ? "unlisted" : (reasons[0] ?? "no-repository") };
  }

  async #today(opened: Opened, why: Today): Promise<[string, string][] | null> {
    await this.teller.now(opened);
    const own = ownFunctions(opened.capture);
    if (own !== null) this.#note(why, opened);
    return own;
  }

  #note(kind: Kind, { uri }: Opened): void {
    this.#otherwise.set(kind, [...(this.#otherwise.get(kind) ?? []), plainText(fileName(uri), LONGEST_NAME)]);
  }
}
