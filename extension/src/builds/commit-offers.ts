// Commits that are offered for a capture, by the builds and tags that match it, with why. No vscode in here.

import type { BuildMatch, FoundBuilds } from "../../../contract/editor-module.generated.js";
import { plainText, type Words } from "../../../contract/plain-text.js";
import { shortCommit } from "../commits/short-commit.js";

/** The commit that is checked out where the builds are. */
export interface CheckedOut {
  readonly commit: string;
  readonly dirty: boolean;
}

/** A tag that is called like the release's version. */
export interface VersionTag {
  readonly tag: string;
  readonly commit: string;
}

export interface CommitOffer {
  /** `package` for builds, `tag` for tags. */
  readonly icon: "package" | "tag";
  readonly label: string;
  readonly description: string;
  /** What speaks against it; empty when nothing does. */
  readonly detail: string;
  readonly commit: string;
  /** The capture is of more than the commit. */
  readonly dirty: boolean;
}

/** How many of a list are named. */
const NAMED = 4;
/** Builds that match in part; further ones are other profiles of the same project. */
const MOST_PARTIAL = 3;

/** The strongest proof first: builds of the commit, tags, builds of a later commit, builds that match in part. */
export function commitOffers(
  found: FoundBuilds,
  head: CheckedOut | undefined,
  tags: readonly VersionTag[],
  l10n: Words,
): CommitOffer[] {
  const tagged = tags.map(({ tag, commit }): CommitOffer => ({
    icon: "tag",
    label: l10n.t("Tag {0}, the release's version", plainText(tag, 100)),
    description: shortCommit(commit),
    detail: "",
    commit,
    dirty: false,
  }));
  if (head === undefined) return tagged;
  const own = found.builds.filter(({ own_matching: matching }) => matching > 0);
  const whole = own.filter((build) => build.is_whole).map((build) => wholeOffer(build, head, l10n));
  const partial = own.filter((build) => !build.is_whole).slice(0, MOST_PARTIAL);
  return [
    ...whole.filter(({ dirty }) => !dirty),
    ...tagged,
    ...whole.filter(({ dirty }) => dirty),
    ...partial.map((build) => partialOffer(build, head, l10n)),
  ];
}

function wholeOffer(build: BuildMatch, head: CheckedOut, l10n: Words): CommitOffer {
  const dirty = head.dirty || build.newer_sources.length > 0;
  const state = dirty ? l10n.t("with changes") : l10n.t("clean");
  const detail =
    build.newer_sources.length > 0
      ? changedText(build, l10n)
      : head.dirty
        ? l10n.t("Files differ from the commit.")
        : "";
  return {
    icon: "package",
    label: l10n.t("Build in {0} matches", placeOf(build, l10n)),
    description: description(build, head, state, l10n),
    detail,
    commit: head.commit,
    dirty,
  };
}

function partialOffer(build: BuildMatch, head: CheckedOut, l10n: Words): CommitOffer {
  const detail = [
    build.differing.length > 0 ? l10n.t("Other builds of {0}.", named(build.differing, l10n)) : "",
    build.missing.length > 0 ? l10n.t("Missing: {0}.", named(build.missing, l10n)) : "",
    build.replaced.length > 0 ? l10n.t("Replaced during the capture: {0}.", named(build.replaced, l10n)) : "",
    build.newer_sources.length > 0 ? changedText(build, l10n) : "",
  ];
  return {
    icon: "package",
    label: l10n.t("Build in {0} matches in part", placeOf(build, l10n)),
    description: description(build, head, l10n.t("with changes"), l10n),
    detail: detail.filter((part) => part !== "").join(" "),
    commit: head.commit,
    dirty: true,
  };
}

function description(build: BuildMatch, head: CheckedOut, state: string, l10n: Words): string {
  const all = build.matching + build.differing.length + build.missing.length;
  const release = build.version === "" ? [] : [plainText(`${build.release} ${build.version}`, 100)];
  return [
    l10n.t("{0} of {1} modules", String(build.matching), String(all)),
    ...release,
    `HEAD ${shortCommit(head.commit)}`,
    state,
  ].join(" · ");
}

function changedText(build: BuildMatch, l10n: Words): string {
  return l10n.t("Changed since it was built: {0}.", named(build.newer_sources, l10n));
}

function placeOf({ build }: BuildMatch, l10n: Words): string {
  return build === "" ? l10n.t("this folder") : plainText(build, 100);
}

function named(texts: readonly string[], l10n: Words): string {
  const first = texts
    .slice(0, NAMED)
    .map((text) => plainText(text, 80))
    .join(", ");
  return texts.length > NAMED ? l10n.t("{0} and {1} more", first, String(texts.length - NAMED)) : first;
}
