//! Real repositories, the odd ones too, as git made them. Without git the only test is that there
//! is no report.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, chown};

use capture::facts::OriginFacts;
use commit::{GitError, Repository};

use room::{Room, capture_of, git, has_git};

mod room;

const SOMEBODY: u32 = 4711;

#[test]
fn commit_branch_remote_and_changes_are_found() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("usual");
    room.git(&["remote", "add", "origin", "https://me:s3cret@host/shop.git"]);
    room.git(&["tag", "v1.2"]);
    let head = room.git(&["rev-parse", "HEAD"]);
    let folder = room.0.join("src");
    let repository = Repository::of(&folder).unwrap().unwrap();
    assert_eq!(repository.top(), room.0);
    let origin = repository.origin().unwrap();
    assert_eq!(origin.commit, head);
    assert_eq!(origin.branch, "main");
    assert_eq!(origin.describe, "v1.2");
    assert_eq!(origin.repository, "https://host/shop.git");
    assert!(!origin.dirty && !origin.assigned && origin.sources.is_empty());
    // A file that git does not know is no change; a file that differs from the commit is.
    room.write("src/new.erl", "");
    assert!(!repository.origin().unwrap().dirty);
    room.write("src/shop.erl", "-module(shop).\n%\n");
    assert!(repository.origin().unwrap().dirty);
    assert!(!room.0.join(".git/index.lock").exists());
}

#[test]
fn sources_are_hashed_as_they_are_on_disk() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("sources");
    room.write(".gitattributes", "*.erl filter=upper text=auto\n");
    room.write("src/shop.erl", "-module(shop).\r\n% changed\r\n");
    room.write("apps/cart/src/cart.erl", "-module(cart).\n");
    room.write("deps/lib/src/lib.erl", "-module(lib).\n");
    room.write("src/odd\nname.erl", "-module('odd\nname').\n");
    fs::write(
        room.0.join("src").join(OsStr::from_bytes(b"\xff.erl")),
        "-module(x).\n",
    )
    .unwrap();
    let hashed = |path: &str| room.git(&["hash-object", "--no-filters", path]);
    let capture = capture_of(&[
        ("shop", "src/shop.erl"),
        ("cart", "/build/apps/cart/src/cart.erl"),
        ("lib", "src/lib.erl"),
        ("lists", "lists.erl"),
        ("'odd\nname'", "src/odd\nname.erl"),
    ]);
    let sources = room.repository().sources_of(&capture);
    let expected = [
        (
            "apps/cart/src/cart.erl".to_owned(),
            hashed("apps/cart/src/cart.erl"),
        ),
        ("src/shop.erl".to_owned(), hashed("src/shop.erl")),
    ];
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn no_repository_a_bare_one_and_one_without_a_commit() {
    if !has_git() {
        return;
    }
    let room = Room::new("empty");
    assert!(Repository::of(&room.0).unwrap().is_none());
    let bare = room.0.join("bare.git");
    git(&room.0, &["init", "-q", "--bare", "bare.git"]);
    assert!(Repository::of(&bare).unwrap().is_none());
    room.git(&["init", "-q", "-b", "unborn"]);
    let origin = room.repository().origin().unwrap();
    assert_eq!(origin.branch, "unborn");
    assert_eq!((origin.commit.as_str(), origin.describe.as_str()), ("", ""));
    assert!(!origin.dirty);
}

#[test]
fn a_detached_head_a_shallow_clone_and_a_submodule() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("detached");
    let first = room.git(&["rev-parse", "HEAD"]);
    room.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let second = room.git(&["rev-parse", "HEAD"]);
    room.git(&["checkout", "-q", "--detach", &first]);
    let origin = room.repository().origin().unwrap();
    assert_eq!((origin.commit, origin.branch.as_str()), (first, ""));

    let other = Room::new("clones");
    let address = format!("file://{}", room.0.display());
    git(
        &other.0,
        &[
            "clone", "-q", "--depth", "1", "-b", "main", &address, "shallow",
        ],
    );
    let shallow = Repository::of(&other.0.join("shallow")).unwrap().unwrap();
    let origin = shallow.origin().unwrap();
    assert_eq!(origin.commit, second);
    assert_eq!(origin.describe, second[..origin.describe.len()]);
    assert_eq!(origin.repository, address);

    let outer = Room::with_shop("outer");
    outer.git(&["submodule", "--quiet", "add", &address, "libs/shop"]);
    outer.git(&["commit", "-qm", "with a submodule"]);
    let inner = Repository::of(&outer.0.join("libs/shop/src"))
        .unwrap()
        .unwrap();
    assert_eq!(inner.top(), outer.0.join("libs/shop"));
    assert!(!outer.repository().origin().unwrap().dirty);
    outer.write("libs/shop/src/shop.erl", "changed");
    assert!(outer.repository().origin().unwrap().dirty);
}

#[test]
fn a_repository_of_another_user_is_refused_in_a_line() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("foreign");
    for path in [".git", ""] {
        // Only root may give something away.
        if chown(room.0.join(path), Some(SOMEBODY), None).is_err() {
            return;
        }
    }
    let error = Repository::of(&room.0).unwrap_err();
    assert!(matches!(error, GitError::NotOwned), "{error}");
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn no_program_that_a_repository_names_is_started() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("hostile");
    let trap = room.0.join("trap");
    let sprung = room.0.join("sprung");
    fs::write(
        &trap,
        format!("#!/bin/sh\necho $0 $* >> {}\ncat\n", sprung.display()),
    )
    .unwrap();
    fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    for (key, value) in [
        ("core.fsmonitor", trap),
        ("core.hooksPath", room.0.to_str().unwrap()),
        ("core.sshCommand", trap),
        ("core.pager", trap),
        ("diff.external", trap),
        ("filter.a=b.c.clean", trap),
        ("filter.a=b.c.process", trap),
        ("filter.a=b.c.required", "true"),
        ("credential.helper", trap),
        ("alias.status", &format!("!{trap}")),
    ] {
        room.git(&["config", key, value]);
    }
    room.write(".gitattributes", "* filter=a=b.c\n");
    // Another time and length: git has to read it.
    room.write("src/shop.erl", "-module(shop). %\n");
    let repository = room.repository();
    assert!(repository.origin().unwrap().dirty);
    let sources = repository.sources_of(&capture_of(&[("shop", "src/shop.erl")]));
    assert_eq!(sources.len(), 1);
    let started = fs::read_to_string(&sprung).unwrap_or_default();
    assert_eq!(started, "");
}

#[test]
fn many_files_are_looked_at() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("many");
    for folder in 0..100 {
        let folder = room.0.join(format!("lib{folder}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..1000 {
            fs::write(folder.join(format!("m{file}.txt")), "").unwrap();
        }
    }
    room.git(&["add", "."]);
    room.git(&["commit", "-qm", "many"]);
    let origin = room.repository().origin();
    // On a busy machine it may take longer than there is patience; then it reports that, or that it
    // may have changed.
    match origin {
        Ok(origin) => assert_eq!(origin.commit, room.git(&["rev-parse", "HEAD"])),
        Err(error) => assert!(matches!(error, GitError::Run(_)), "{error}"),
    }
}

#[test]
fn commits_come_in_the_order_in_which_they_build_on_each_other() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("order");
    let commit = |text: &str| {
        room.git(&["commit", "-q", "--allow-empty", "-m", text]);
        room.git(&["rev-parse", "HEAD"])
    };
    commit("never measured");
    let (first, second, third) = (commit("1"), commit("2"), commit("3"));
    room.git(&["switch", "-qc", "side", &first]);
    let side = commit("side");
    let unknown = "0123456789".repeat(4);
    let repository = room.repository();
    let order = |commits: &[&String]| {
        let commits: Vec<String> = commits.iter().map(|it| (*it).clone()).collect();
        repository.in_order(&commits).unwrap()
    };
    let odd = "--all".to_owned();
    assert_eq!(
        order(&[&third, &first, &unknown, &odd, &second, &first]),
        [first.clone(), second.clone(), third.clone()]
    );
    let with_side = order(&[&side, &third, &second, &first]);
    let place = |wanted: &String| with_side.iter().position(|it| it == wanted).unwrap();
    assert_eq!(with_side.len(), 4);
    assert!(place(&first) < place(&side) && place(&second) < place(&third));
    assert_eq!(order(&[&second, &side]).len(), 2);
    assert_eq!(order(&[&second]), std::slice::from_ref(&second));
    assert!(order(&[]).is_empty() && order(&[&unknown]).is_empty());
    let made = |commits: &[&String]| {
        let commits: Vec<String> = commits.iter().map(|it| (*it).clone()).collect();
        repository.made_at(&commits).unwrap()
    };
    let of_git = |commit: &str| {
        let seconds = room.git(&["log", "-1", "--format=%ct", commit]);
        seconds.parse::<u64>().unwrap()
    };
    let expected = [&second, &first].map(|commit| (commit.clone(), of_git(commit)));
    assert_eq!(made(&[&second, &odd, &first]), expected.into());
    assert!(made(&[&odd]).is_empty() && made(&[&unknown]).is_empty());
}

#[test]
fn texts_that_are_not_read_are_counted() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("texts");
    let names: Vec<String> = (0..502)
        .map(|number| format!("src/m{number}.erl"))
        .collect();
    for name in &names {
        room.write(name, "\n");
    }
    room.write("src/long.erl", &" ".repeat((2 << 20) + 1));
    room.git(&["add", "."]);
    room.git(&["commit", "-qm", "many"]);
    let origin = room.repository().origin().unwrap();
    let read = |reported: &[&str]| {
        let reported = reported.iter().map(|&name| name.to_owned());
        let texts = room.repository().texts_of(&origin, reported).unwrap();
        (texts.by_name.len(), texts.unread)
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(read(&names), (500, 2));
    assert_eq!(read(&["src/long.erl", "src/shop.erl"]), (1, 1));
    // Files that the commit does not have are of others.
    assert_eq!(read(&["lists.erl", "src/shop.erl"]), (1, 0));
    // Files that the capture does not name are as the commit has them, unless sources were changed.
    let hash = room.git(&["rev-parse", "HEAD:src/shop.erl"]);
    let found = |dirty: bool| {
        let hashed = OriginFacts {
            dirty,
            sources: [("src/shop.erl".to_owned(), hash.clone())].into(),
            ..origin.clone()
        };
        let reported = ["src/m1.erl", "src/shop.erl"].map(str::to_owned);
        let texts = room.repository().texts_of(&hashed, reported).unwrap();
        texts.by_name.len()
    };
    assert_eq!((found(false), found(true)), (2, 1));
}

#[test]
fn headers_modules_and_files_of_the_build_that_differ_between_two_commits_are_named() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("headers");
    let commit = |files: &[(&str, &str)]| {
        for (path, text) in files {
            room.write(path, text);
        }
        room.git(&["add", "."]);
        room.git(&["commit", "-qm", "some"]);
        room.repository().origin().unwrap()
    };
    let before = commit(&[("include/a.hrl", "-define(A, 1).\n"), ("b.hrl", "\n")]);
    let after = commit(&[
        ("include/a.hrl", "-define(A, 2).\n"),
        ("src/b.erl", "\n"),
        ("rebar.lock", "[].\n"),
        ("apps/shop/rebar.config", "{erl_opts, [inline]}.\n"),
        ("apps/shop/src/shop.app.src", "\n"),
        ("apps/cart/config/prod.exs", "\n"),
        ("apps/cart/test/config/prod_test.exs", "\n"),
        ("apps/cart/mix.exs", "\n"),
        ("mix.lock", "\n"),
        ("Makefile", "\n"),
        ("build/erlang.mk", "\n"),
        ("c.ex", "\n"),
        ("config.exs", "\n"),
    ]);
    let repository = room.repository();
    assert_eq!(
        repository.changed_paths(&before, &after),
        Some(
            [
                "Makefile",
                "apps/cart/config/prod.exs",
                "apps/cart/mix.exs",
                "apps/shop/rebar.config",
                "build/erlang.mk",
                "include/a.hrl",
                "mix.lock",
                "rebar.lock",
                "src/b.erl",
            ]
            .map(str::to_owned)
            .to_vec()
        )
    );
    assert_eq!(repository.changed_paths(&after, &after), Some(Vec::new()));
    let headers = repository.other_texts(&after, ".hrl", &["include/a.hrl".to_owned()]);
    let headers = headers.unwrap();
    let names: Vec<&str> = headers.by_name.keys().map(String::as_str).collect();
    assert_eq!((names, headers.unread), (vec!["b.hrl"], 0));
    let unknown = OriginFacts {
        commit: "0123456789".repeat(4),
        ..OriginFacts::default()
    };
    // A list that git does not give is not an empty one.
    assert_eq!(repository.changed_paths(&unknown, &after), None);
    assert_eq!(repository.other_texts(&unknown, ".hrl", &[]), None);
    assert_eq!(repository.renamed(&unknown, &after), None);
    assert_eq!(repository.texts_of(&unknown, ["b.hrl".to_owned()]), None);
}

#[test]
fn files_with_another_path_and_those_that_one_commit_lacks_are_listed() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("renamed");
    let committed = || {
        room.git(&["add", "."]);
        room.git(&["commit", "-qm", "some"]);
        room.repository().origin().unwrap()
    };
    room.write("src/a.erl", "-module(a).\na() -> one, two, three.\n");
    room.write("src/b.erl", "other() -> words.\n");
    let before = committed();
    room.git(&["mv", "src/a.erl", "src/c.erl"]);
    room.git(&["rm", "-q", "src/b.erl"]);
    room.write("src/d.erl", "% Nothing of the above.\n");
    let renamed = room.repository().renamed(&before, &committed()).unwrap();
    let renamed: Vec<_> = renamed.iter().map(|(a, b)| (&**a, &**b)).collect();
    let expected = [
        ("src/b.erl", ""),
        ("src/a.erl", "src/c.erl"),
        ("", "src/d.erl"),
    ];
    assert_eq!(renamed, expected);
}

#[test]
fn files_of_elixir_that_differ_between_two_commits_are_read_as_each_has_them() {
    if !has_git() {
        return;
    }
    let room = Room::with_shop("elixir");
    let commit = |files: &[(&str, &str)]| {
        for (path, text) in files {
            room.write(path, text);
        }
        room.git(&["add", "."]);
        room.git(&["commit", "-qm", "some"]);
        room.repository().origin().unwrap()
    };
    let before = commit(&[("lib/a.ex", "# 1\n"), ("lib/b.ex", "# b\n")]);
    let after = commit(&[
        ("lib/a.ex", "# 2\n"),
        ("lib/c.ex", "# c\n"),
        ("d.exs", "\n"),
    ]);
    let repository = room.repository();
    let (texts, unread) = repository.changed_elixir(&before, &after).unwrap();
    let texts = texts.iter().map(|it| (it.path.as_str(), it.text.as_str()));
    let texts: Vec<_> = texts.collect();
    let expected = [
        ("lib/a.ex", "# 1\n"),
        ("lib/a.ex", "# 2\n"),
        ("lib/c.ex", "# c\n"),
    ];
    assert_eq!((texts, unread), (expected.to_vec(), 0));
    assert_eq!(
        repository.changed_elixir(&after, &after),
        Some((Vec::new(), 0))
    );
    let changed = ["lib/a.ex", "lib/c.ex"].map(str::to_owned);
    let others = repository.other_texts(&after, ".ex", &changed).unwrap();
    let names: Vec<&str> = others.by_name.keys().map(String::as_str).collect();
    assert_eq!((names, others.unread), (vec!["lib/b.ex"], 0));
}
