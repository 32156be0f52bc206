//! Any bytes as a .beam file, as they are and as the chunks of one; and as files of a workspace.
#![no_main]

use builds::beam::Beam;
use builds::file::WorkspaceFile;
use builds::matching::find;
use capture::facts::BuildFacts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let chunks = [b"BEAM", bytes].concat();
    let length = (chunks.len() as u32).to_be_bytes();
    let whole = [b"FOR1", &length[..], &chunks].concat();
    let parsed = [Beam::parse(bytes), Beam::parse(&whole)];
    let known = parsed.into_iter().flatten();
    let facts = BuildFacts {
        modules: known.map(|beam| (beam.module, beam.md5)).collect(),
        version: String::from_utf8_lossy(bytes).into_owned(),
        ..BuildFacts::default()
    };
    let path = String::from_utf8_lossy(bytes);
    let file = |path, content| WorkspaceFile {
        path,
        modified_ms: 1,
        content: Some(content),
    };
    let files = [
        file("ebin/a.beam", bytes),
        file("_build/prod/lib/a/ebin/a.beam", whole.as_slice()),
        file("mix.exs", bytes),
        file("gleam.toml", bytes),
        file(&path, bytes),
    ];
    let found = find(&facts, &files);
    assert!(
        found
            .builds
            .iter()
            .all(|build| build.matching <= facts.modules.len())
    );
});
