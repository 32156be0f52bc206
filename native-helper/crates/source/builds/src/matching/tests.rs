use super::*;

/// A module whose checksum follows from its text.
fn beam(module: &str, code: &str) -> Vec<u8> {
    let atoms = [&b"\0\0\0\x01"[..], &[module.len() as u8], module.as_bytes()].concat();
    let mut body = b"BEAM".to_vec();
    for (name, content) in [
        (b"AtU8", atoms.as_slice()),
        (b"Code", code.as_bytes()),
        (b"StrT", b""),
        (b"ImpT", b""),
        (b"ExpT", b""),
    ] {
        body.extend([&name[..], &(content.len() as u32).to_be_bytes(), content].concat());
        body.resize(body.len().next_multiple_of(4), 0);
    }
    [
        b"FOR1".to_vec(),
        (body.len() as u32).to_be_bytes().to_vec(),
        body,
    ]
    .concat()
}

fn facts(modules: &[(&str, &str)]) -> BuildFacts {
    let md5 = |(name, code): &(&str, &str)| {
        let beam = Beam::parse(&beam(name, code)).unwrap();
        (beam.module, beam.md5)
    };
    BuildFacts {
        modules: modules.iter().map(md5).collect(),
        ..BuildFacts::default()
    }
}

/// Path, time, and for a module name and code.
type Given = (&'static str, u64, Option<(&'static str, &'static str)>);

fn found(facts: &BuildFacts, files: &[Given]) -> FoundBuilds {
    let contents: Vec<Option<Vec<u8>>> = files
        .iter()
        .map(|(_, _, module)| module.map(|(name, code)| beam(name, code)))
        .collect();
    let files: Vec<WorkspaceFile<'_>> = files
        .iter()
        .zip(&contents)
        .map(|((path, modified_ms, _), content)| WorkspaceFile {
            path,
            modified_ms: *modified_ms,
            content: content.as_deref(),
        })
        .collect();
    find(facts, &files)
}

const SHOP: Given = (
    "_build/prod/lib/shop/ebin/shop.beam",
    10,
    Some(("shop", "1")),
);
const CART: Given = (
    "_build/prod/lib/shop/ebin/cart.beam",
    10,
    Some(("cart", "1")),
);
const DEP: Given = ("_build/prod/lib/dep/ebin/dep.beam", 5, Some(("dep", "1")));
const APP: Given = ("src/shop.app.src", 1, None);
const SOURCE: Given = ("src/shop.erl", 9, None);

#[test]
fn a_build_of_which_everything_matches_is_whole() {
    let named = facts(&[("shop", "1"), ("cart", "1"), ("dep", "1"), ("lists", "1")]);
    let answer = found(&named, &[SHOP, CART, DEP, APP, SOURCE]);
    assert_eq!((answer.modules, answer.own_modules), (4, 2));
    let build = &answer.builds[0];
    assert_eq!(build.build, "_build/prod");
    assert!(build.is_whole && build.newer_sources.is_empty());
    assert_eq!(
        (build.matching, build.own_matching, build.modules()),
        (3, 2, 3)
    );
}

#[test]
fn what_differs_lacks_or_was_replaced_makes_it_none() {
    let named = facts(&[("shop", "1"), ("cart", "1"), ("dep", "1")]);
    let changed = (
        "_build/prod/lib/shop/ebin/cart.beam",
        10,
        Some(("cart", "2")),
    );
    let build = &found(&named, &[SHOP, changed, DEP, APP]).builds[0];
    assert!(!build.is_whole);
    assert_eq!(build.differing, ["cart"]);
    let cart_source = ("src/cart.erl", 1, None);
    let build = &found(&named, &[SHOP, DEP, APP, cart_source]).builds[0];
    assert!(!build.is_whole);
    assert_eq!(
        (build.matching, build.missing.as_slice()),
        (2, &["cart".to_owned()][..])
    );
    let replaced = BuildFacts {
        replaced: ["shop".to_owned()].into(),
        ..named.clone()
    };
    assert!(!found(&replaced, &[SHOP, CART, DEP, APP]).builds[0].is_whole);
    let cut = BuildFacts { cut: true, ..named };
    assert!(!found(&cut, &[SHOP, CART, DEP, APP]).builds[0].is_whole);
}

#[test]
fn what_only_others_wrote_proves_nothing() {
    let named = facts(&[("dep", "1")]);
    let build = &found(&named, &[DEP, APP, SHOP]).builds[0];
    assert!(!build.is_whole);
    assert_eq!((build.matching, build.own_matching), (1, 0));
}

#[test]
fn sources_that_are_newer_than_their_build_are_reported() {
    let named = facts(&[("shop", "1"), ("cart", "1")]);
    let edited = ("src/shop.erl", 11, None);
    let header = ("include/shop.hrl", 12, None);
    let test = ("test/shop_SUITE.erl", 99, None);
    let build = &found(&named, &[SHOP, CART, APP, edited, header, test]).builds[0];
    assert!(build.is_whole);
    assert_eq!(build.newer_sources, ["include/shop.hrl", "src/shop.erl"]);
    // A source that is newer than its own module, though another one was built after it.
    let later = (
        "_build/prod/lib/shop/ebin/cart.beam",
        20,
        Some(("cart", "1")),
    );
    let build = &found(&named, &[SHOP, later, APP, edited]).builds[0];
    assert_eq!(build.newer_sources, ["src/shop.erl"]);
}

#[test]
fn the_build_that_matches_best_comes_first_with_the_release() {
    let named = BuildFacts {
        release: "shop".into(),
        version: "1.2.3".into(),
        ..facts(&[("shop", "1"), ("cart", "1")])
    };
    let old = (
        "_build/default/lib/shop/ebin/shop.beam",
        10,
        Some(("shop", "0")),
    );
    let released = (
        "_build/prod/rel/shop/lib/shop-1.2.3/ebin/shop.beam",
        10,
        Some(("shop", "1")),
    );
    let released_cart = (
        "_build/prod/rel/shop/lib/shop-1.2.3/ebin/cart.beam",
        10,
        Some(("cart", "1")),
    );
    let rel = ("_build/prod/rel/shop/releases/1.2.3/shop.rel", 10, None);
    let other = ("_build/prod/rel/shop/releases/1.2.2/shop.rel", 10, None);
    let answer = found(&named, &[old, released, released_cart, rel, other, APP]);
    let [first, second] = answer.builds.as_slice() else {
        panic!("{answer:?}")
    };
    assert_eq!(
        (
            first.build.as_str(),
            first.release.as_str(),
            first.version.as_str()
        ),
        ("_build/prod/rel/shop", "shop", "1.2.3")
    );
    assert!(first.is_whole && !second.is_whole);
    assert_eq!(
        answer.tags,
        [
            "v1.2.3",
            "1.2.3",
            "shop-1.2.3",
            "shop-v1.2.3",
            "shop_1.2.3",
            "shop/1.2.3",
            "release-1.2.3"
        ]
    );
}

#[test]
fn files_that_are_no_modules_are_reported_and_versions_that_are_no_names_are_not_looked_up() {
    let named = BuildFacts {
        version: "--all".into(),
        ..facts(&[("shop", "1")])
    };
    let files = [WorkspaceFile {
        path: "ebin/shop.beam",
        modified_ms: 1,
        content: Some(b"nothing"),
    }];
    let answer = find(&named, &files);
    assert_eq!(
        answer.unreadable,
        [(
            "ebin/shop.beam".to_owned(),
            "it is no .beam file".to_owned()
        )]
    );
    assert!(answer.builds.is_empty() && answer.tags.is_empty());
}
