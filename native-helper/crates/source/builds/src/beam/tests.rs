use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write;

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut bytes = [&name[..], &(content.len() as u32).to_be_bytes(), content].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = [b"BEAM".to_vec(), chunks.concat()].concat();
    [
        b"FOR1".to_vec(),
        (body.len() as u32).to_be_bytes().to_vec(),
        body,
    ]
    .concat()
}

fn chunks(atoms: &[u8], funs: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![chunk(b"AtU8", atoms), chunk(b"FunT", funs)];
    all.extend([b"Code", b"StrT", b"ImpT", b"ExpT"].map(|name| chunk(name, name)));
    all
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const ATOMS: &[u8] = b"\0\0\0\x02\x04shop\x01a";

#[test]
fn order_other_chunks_old_checksums_of_funs_and_gzip_change_nothing() {
    let plain = Beam::parse(&file(&chunks(ATOMS, &[1; 28]))).unwrap();
    assert_eq!(plain.module, "shop");
    let mut mixed = chunks(ATOMS, &[1; 28]);
    mixed.reverse();
    mixed.insert(2, chunk(b"Dbgi", b"debug"));
    assert_eq!(Beam::parse(&gzipped(&file(&mixed))).unwrap(), plain);
    let mut funs = [1; 28];
    funs[24] = 9;
    assert_eq!(Beam::parse(&file(&chunks(ATOMS, &funs))).unwrap(), plain);
    funs[23] = 9;
    assert_ne!(
        Beam::parse(&file(&chunks(ATOMS, &funs))).unwrap().md5,
        plain.md5
    );
}

#[test]
fn atoms_of_every_release_name_the_module() {
    let name = |atoms: &[u8]| Beam::parse(&file(&chunks(atoms, &[]))).map(|beam| beam.module);
    assert_eq!(name(b"\xff\xff\xff\xff\x40shop").unwrap(), "shop");
    let long = [&b"\xff\xff\xff\xff\x28\x04"[..], &[b'a'; 260]].concat();
    assert_eq!(name(&long).unwrap(), "a".repeat(260));
    for none in [
        &b""[..],
        b"\0\0\0\0\x01a",
        b"\0\0\0\x01\x05a",
        b"\0\0\0\x01\0",
        b"\xff\xff\xff\xff\x18a",
    ] {
        assert_eq!(name(none), Err(BeamError::NoName), "{none:?}");
    }
}

#[test]
fn hostile_files_are_refused_in_words() {
    let whole = file(&chunks(ATOMS, &[]));
    for cut in 0..whole.len() - 4 {
        assert!(Beam::parse(&whole[..cut]).is_err(), "{cut}");
    }
    for length in [u32::MAX, 1 << 31, 1 << 20] {
        let mut outer = whole.clone();
        outer[4..8].copy_from_slice(&length.to_be_bytes());
        assert_eq!(Beam::parse(&outer), Err(BeamError::Cut));
        let mut inner = whole.clone();
        inner[16..20].copy_from_slice(&length.to_be_bytes());
        assert_eq!(Beam::parse(&inner), Err(BeamError::Cut));
    }
    assert_eq!(Beam::parse(&[0x1f, 0x8b, 8, 0]), Err(BeamError::Gzip));
    let bomb = gzipped(&vec![0; MAX_BEAM_BYTES + 2]);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(Beam::parse(&bomb), Err(BeamError::TooLong));
    let without_code = chunks(ATOMS, &[])
        .into_iter()
        .filter(|chunk| !chunk.starts_with(b"Code"));
    let without_code = file(&without_code.collect::<Vec<_>>());
    assert_eq!(Beam::parse(&without_code), Err(BeamError::Missing("Code")));
}

proptest! {
    #[test]
    fn garbage_is_an_error_or_a_module(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Beam::parse(&bytes);
        let _ = Beam::parse(&[&[0x1f, 0x8b], &bytes[..]].concat());
        let _ = Beam::parse(&file(&[bytes]));
    }
}
