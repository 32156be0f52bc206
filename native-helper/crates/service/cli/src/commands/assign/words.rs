//! What `commit` found, for people.

use builds::matching::BuildMatch;

use super::{Answer, Head};

/// Modules that are named in a line.
const NAMED: usize = 5;
/// Builds that are shown.
const SHOWN: usize = 8;

/// The lines. `has_modules`: the capture has code of a module, with its build or without.
pub fn lines(answer: &Answer, has_modules: bool, file: &str) -> Vec<String> {
    let mut lines = vec![commit_line(answer)];
    if !answer.version.is_empty() {
        let release = [answer.release.as_str(), answer.version.as_str()].join(" ");
        lines.push(format!("release: {}", release.trim()));
    }
    if answer.modules == 0 {
        lines.push(match has_modules {
            true => "the capture does not contain the builds of its modules".to_owned(),
            false => "no Erlang code is in the samples: there is no module whose build could be compared; \
                      record the VM while it works"
                .to_owned(),
        });
    } else {
        lines.push(format!(
            "modules with a checksum: {}, {} of them with sources here",
            answer.modules, answer.own_modules
        ));
    }
    let shown = answer.builds.iter().take(SHOWN);
    lines.extend(shown.map(|build| build_line(build, answer.head.as_ref())));
    if answer.builds.is_empty() && answer.modules > 0 {
        lines.push("no build here has any of them".to_owned());
    }
    if answer.cut {
        lines.push("the folder has more files than were read: there may be others".to_owned());
    }
    for tag in &answer.tags {
        lines.push(format!(
            "tag {}, the release's version: {}",
            tag.tag,
            short(&tag.commit)
        ));
    }
    if !answer.assigned {
        let best = answer.builds.first().filter(|build| build.is_whole);
        let name = match (best, answer.tags.first()) {
            (Some(_), _) if answer.head.is_some() => "HEAD",
            (_, Some(tag)) => &tag.tag,
            _ => "COMMIT",
        };
        lines.push(format!("next: extrospect commit {file} --assign {name}"));
    }
    lines
}

fn commit_line(answer: &Answer) -> String {
    let Some(origin) = &answer.commit else {
        return "commit: not known".to_owned();
    };
    let changes = if origin.dirty { ", with changes" } else { "" };
    let how = if origin.assigned {
        ", given afterwards"
    } else {
        ""
    };
    format!("commit: {}{changes}{how}", short(&origin.commit))
}

fn build_line(build: &BuildMatch, head: Option<&Head>) -> String {
    let place = if build.build.is_empty() {
        "this folder"
    } else {
        &build.build
    };
    let mut parts = vec![format!(
        "{} of {} modules match",
        build.matching,
        build.modules()
    )];
    for (what, modules) in [
        ("others differ", &build.differing),
        ("lacks", &build.missing),
        ("replaced while captured", &build.replaced),
    ] {
        if !modules.is_empty() {
            parts.push(format!("{what}: {}", named(modules)));
        }
    }
    if !build.newer_sources.is_empty() {
        parts.push(format!(
            "changed since it was built: {}",
            named(&build.newer_sources)
        ));
    }
    if !build.version.is_empty() {
        parts.push(format!("release {} {}", build.release, build.version));
    }
    if build.is_whole
        && let Some(head) = head
    {
        let is_clean = !head.dirty && build.newer_sources.is_empty();
        let state = if is_clean { "clean" } else { "with changes" };
        parts.push(format!("HEAD {}, {state}", short(&head.commit)));
    }
    format!("{place}: {}", parts.join("; "))
}

fn named(texts: &[String]) -> String {
    let first = texts
        .iter()
        .take(NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match texts.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}
