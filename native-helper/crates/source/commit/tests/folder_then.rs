//! Own code as it was at the commit of a capture, whatever is checked out today.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;

use capture::facts::OriginFacts;
use capture::reader::Capture;
use commit::{FolderThen, Repository, SourcesMissing};

use room::{Room, capture_of, git, has_git};

mod room;

fn elixir(module: &str) -> String {
    format!("defmodule {module} do\n  def f(x), do: x\nend\n")
}

/// `lib/formatter.ex` becomes `lib/printer.ex`; `lib/old.ex` goes.
fn renamed(name: &str) -> (Room, OriginFacts, OriginFacts) {
    let room = Room::new(name);
    room.git(&["init", "-q", "-b", "main"]);
    room.write("lib/formatter.ex", &elixir("Shop.Formatter"));
    room.write("lib/old.ex", &elixir("Shop.Old"));
    room.write("lib/shop.ex", &elixir("Shop"));
    room.write("deps/jason/lib/jason.ex", &elixir("Jason"));
    room.git(&["add", "."]);
    room.git(&["commit", "-qm", "first"]);
    let first = room.repository().origin().unwrap();
    room.git(&["mv", "lib/formatter.ex", "lib/printer.ex"]);
    room.write("lib/printer.ex", &elixir("Shop.Printer"));
    room.git(&["rm", "-q", "lib/old.ex"]);
    room.git(&["commit", "-qam", "second"]);
    let second = room.repository().origin().unwrap();
    (room, first, second)
}

const MODULES: [(&str, &str); 5] = [
    ("Elixir.Shop", "lib/shop.ex"),
    ("Elixir.Shop.Formatter", "lib/formatter.ex"),
    ("Elixir.Shop.Old", "lib/old.ex"),
    ("Elixir.Shop.Printer", "lib/printer.ex"),
    ("Elixir.Jason", "lib/jason.ex"),
];

/// Files of the capture's own code.
fn own_files(
    then: &mut FolderThen,
    repository: Option<&Repository>,
    capture: &Capture,
) -> Vec<String> {
    let own = then.own_code(capture, repository).unwrap();
    let files = capture
        .function_indices()
        .filter_map(|index| own.file(index).map(str::to_owned));
    let mut files: Vec<String> = files.collect();
    files.sort();
    files
}

#[test]
fn own_code_is_that_of_the_commit() {
    if !has_git() {
        return;
    }
    let (room, first, second) = renamed("then");
    let repository = room.repository();
    let capture = capture_of(&MODULES);
    let own = |origin: &OriginFacts, folder: &str| {
        let folder = room.0.join(folder);
        let mut then = FolderThen::at_commit(&repository, origin, &folder).unwrap();
        assert!(then.is_of(origin));
        own_files(&mut then, Some(&repository), &capture)
    };
    let before = ["lib/formatter.ex", "lib/old.ex", "lib/shop.ex"];
    let after = ["lib/printer.ex", "lib/shop.ex"];
    for checked_out in [&first, &second] {
        room.git(&["checkout", "-q", &checked_out.commit]);
        assert_eq!(own(&first, ""), before);
        assert_eq!(own(&second, ""), after);
        assert_eq!(own(&second, "lib"), after);
    }
    // The text decides, too: a file of the same path was another module's.
    let moved = capture_of(&[("Elixir.Other", "lib/shop.ex")]);
    let mut then = FolderThen::at_commit(&repository, &second, &room.0).unwrap();
    assert!(then.own_code(&moved, Some(&repository)).is_err());
}

#[test]
fn what_was_changed_and_not_committed_is_known_by_its_hash() {
    if !has_git() {
        return;
    }
    let (room, _, second) = renamed("dirty");
    room.write("lib/new.ex", &elixir("Shop.New"));
    room.write("lib/shop.ex", &elixir("Store"));
    let capture = capture_of(&[
        ("Elixir.Store", "lib/shop.ex"),
        ("Elixir.Shop.New", "lib/new.ex"),
    ]);
    let dirty = OriginFacts {
        dirty: true,
        sources: room.repository().sources_of(&capture),
        ..second.clone()
    };
    assert_eq!(dirty.sources.len(), 2);
    let repository = room.repository();
    let own = || {
        let mut then = FolderThen::at_commit(&repository, &dirty, &room.0).unwrap();
        assert!(!then.is_of(&OriginFacts {
            sources: BTreeMap::from([("lib/shop.ex".to_owned(), "a".repeat(40))]),
            ..dirty.clone()
        }));
        own_files(&mut then, Some(&repository), &capture)
    };
    assert_eq!(own(), ["lib/new.ex", "lib/shop.ex"]);
    // On disk is something else by now: the commit's text of the one names no such module, and of the
    // other the path is all there is.
    room.write("lib/shop.ex", &elixir("Third"));
    room.write("lib/new.ex", &elixir("Third.New"));
    assert_eq!(own(), ["lib/new.ex"]);
}

#[test]
fn the_reason_for_a_missing_commit_has_the_remedy() {
    if !has_git() {
        return;
    }
    let (room, first, second) = renamed("shallow");
    let clone = Room::new("shallow-clone");
    let from = format!("file://{}", room.0.display());
    git(&clone.0, &["clone", "-q", "--depth", "1", &from, "."]);
    let repository = clone.repository();
    assert!(repository.check_commit(&second.commit).is_ok());
    let error = repository.check_commit(&first.commit).unwrap_err();
    assert!(matches!(error, SourcesMissing::Shallow(_)), "{error}");
    assert!(error.to_string().contains("git fetch --unshallow"));
    let error = FolderThen::at_commit(&repository, &first, &clone.0).unwrap_err();
    assert!(matches!(error, SourcesMissing::Shallow(_)), "{error}");
    for unknown in ["0".repeat(40), "no name".into(), "--help".into()] {
        let origin = OriginFacts {
            commit: unknown,
            ..OriginFacts::default()
        };
        let whole = room.repository();
        let error = FolderThen::at_commit(&whole, &origin, &room.0).unwrap_err();
        assert!(matches!(error, SourcesMissing::NoCommit(_)), "{error}");
        assert!(whole.check_commit(&origin.commit).is_err());
    }
    // Ignored by git, or of another time: the commit has nothing there.
    fs::create_dir(room.0.join("made")).unwrap();
    let error = FolderThen::at_commit(&room.repository(), &second, &room.0.join("made"));
    assert!(matches!(error, Err(SourcesMissing::NoSources { .. })));
    let outside = Room::new("no-repository");
    let error = Repository::found(&outside.0).unwrap_err();
    assert!(matches!(error, SourcesMissing::NoRepository(_)), "{error}");
}

#[test]
fn a_capture_knows_its_own_sources_where_git_does_not() {
    if !has_git() {
        return;
    }
    let (room, _, second) = renamed("known");
    let capture = capture_of(&MODULES);
    room.git(&["checkout", "-q", "HEAD^"]);
    let first = OriginFacts {
        sources: room.repository().sources_of(&capture),
        ..room.repository().origin().unwrap()
    };
    room.git(&["checkout", "-q", &second.commit]);
    let before = ["lib/formatter.ex", "lib/old.ex", "lib/shop.ex"];
    fs::remove_dir_all(room.0.join(".git")).unwrap();
    let mut then = FolderThen::by_capture(None, &first, &room.0).unwrap();
    assert_eq!(own_files(&mut then, None, &capture), before);
    let mut below = FolderThen::by_capture(None, &first, &room.0.join("lib")).unwrap();
    assert_eq!(own_files(&mut below, None, &capture), before);
    // Another project's folder is none of it.
    let other = Room::new("other-project");
    other.write("lib/other.ex", &elixir("Other"));
    assert!(FolderThen::by_capture(None, &first, &other.0).is_none());
    assert!(FolderThen::by_capture(None, &OriginFacts::default(), &room.0).is_none());
}
