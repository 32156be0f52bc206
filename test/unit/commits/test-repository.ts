// Real git repositories for tests, made anew in a folder of their own.
import "../../../scripts/outer-repository.mjs";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

export interface TestRepository {
  readonly folder: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  /** Writes the files and commits everything. @returns the commit's whole name */
  commit(subject: string, files: Readonly<Record<string, string>>): string;
}

/** An environment that no user's configuration changes. */
const ENVIRONMENT = { PATH: process.env["PATH"], HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };

export function testFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "extrospect-git-")));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A repository with the branch `main` and no commit. @param folder is made */
export function testRepository(t: TestContext, folder = join(testFolder(t), "shop")): TestRepository {
  mkdirSync(folder, { recursive: true });
  const here = repositoryIn(folder);
  here.git("init", "-q", "-b", "main", "--template=");
  return here;
}

/** A repository that is there already, such as a clone. */
export function repositoryIn(folder: string): TestRepository {
  // Each commit a minute after the one before, whatever the clock does.
  let minute = 0;
  const git = (...args: string[]) => {
    const date = new Date(Date.UTC(2026, 10, 20, 12, minute)).toISOString();
    const identity = [
      "-c",
      "user.name=Ada Lovelace",
      "-c",
      "user.email=ada@host",
      "-c",
      "protocol.file.allow=always",
      "-c",
      "commit.gpgsign=false",
      // Each commit would start one more program, which finds nothing to do.
      "-c",
      "maintenance.auto=false",
    ];
    return execFileSync("git", [...identity, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { ...ENVIRONMENT, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    }).trim();
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = (subject: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) write(path, text);
    minute++;
    git("add", "-A");
    git("commit", "-qm", subject, "--allow-empty");
    return git("rev-parse", "HEAD");
  };
  return { folder, git, write, commit };
}
