//! Real sockets that are cut again and again: the bytes that one side sends are the bytes that the
//! other receives.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use resumable_link::door::{Door, SessionName, come_back};
use resumable_link::frame::Frame;
use resumable_link::link::Link;
use resumable_link::relay::relay;

const LONG: Duration = Duration::from_secs(600);
const PATIENCE: Duration = Duration::from_secs(300);

/// Connects two sides; shutting down the streams cuts the connection.
fn connect(one: &Link, other: &Link) -> [UnixStream; 2] {
    let (a, b) = UnixStream::pair().unwrap();
    one.connect(a.try_clone().unwrap(), a.try_clone().unwrap())
        .unwrap();
    other
        .connect(b.try_clone().unwrap(), b.try_clone().unwrap())
        .unwrap();
    [a, b]
}

fn text(length: usize, seed: u8) -> Vec<u8> {
    (0..length)
        .map(|index| (index as u8).wrapping_mul(31).wrapping_add(seed))
        .collect()
}

fn send(link: &Link, pieces: Vec<Vec<u8>>) -> thread::JoinHandle<()> {
    let link = link.clone();
    thread::spawn(move || {
        let mut writer = link.writer();
        for piece in pieces {
            writer.write_all(&piece).unwrap();
        }
    })
}

fn received(link: &Link, length: usize) -> thread::JoinHandle<Vec<u8>> {
    let mut reader = link.reader();
    thread::spawn(move || {
        let mut heard = vec![0; length];
        reader.read_exact(&mut heard).unwrap();
        heard
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_doubled_or_out_of_order(
        lengths in prop::collection::vec(0usize..200_000, 1..12),
        cuts_after_us in prop::collection::vec(0u64..3_000, 0..8),
    ) {
        let (one, other) = (Link::new(LONG), Link::new(LONG));
        let pieces: Vec<Vec<u8>> = lengths.iter().map(|&length| text(length, 1)).collect();
        let answers: Vec<Vec<u8>> = lengths.iter().map(|&length| text(length / 3, 9)).collect();
        let (sent, answered) = (pieces.concat(), answers.concat());
        let receiving = [received(&other, sent.len()), received(&one, answered.len())];
        let sending = [send(&one, pieces), send(&other, answers)];
        for after_us in cuts_after_us {
            let streams = connect(&one, &other);
            thread::sleep(Duration::from_micros(after_us));
            for stream in streams {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        let _last = connect(&one, &other);
        for side in sending {
            side.join().unwrap();
        }
        let [heard, heard_back] = receiving.map(|side| side.join().unwrap());
        prop_assert!(heard == sent);
        prop_assert!(heard_back == answered);
    }
}

#[test]
fn a_new_connection_counts_while_the_one_before_still_looks_alive() {
    let (one, other) = (Link::new(LONG), Link::new(LONG));
    let first = connect(&one, &other);
    one.writer().write_all(b"before ").unwrap();
    let heard = received(&other, b"before after".len());
    let second = connect(&one, &other);
    one.writer().write_all(b"after").unwrap();
    assert_eq!(heard.join().unwrap(), b"before after");
    drop((first, second));
}

#[test]
fn a_side_that_knows_of_the_end_reads_to_it() {
    let (one, other) = (Link::new(LONG), Link::new(LONG));
    let _streams = connect(&one, &other);
    one.writer().write_all(b"last words").unwrap();
    one.close(PATIENCE);
    let mut heard = Vec::new();
    other.reader().read_to_end(&mut heard).unwrap();
    assert_eq!(heard, b"last words");
    assert!(other.is_over());
    assert!(other.writer().write_all(b"x").is_err());
}

#[test]
fn without_anybody_who_comes_back_it_is_over() {
    let link = Link::new(Duration::from_millis(20));
    let (near, far) = UnixStream::pair().unwrap();
    link.connect(near.try_clone().unwrap(), near).unwrap();
    drop(far);
    assert_eq!(link.reader().read(&mut [0]).unwrap(), 0);
    assert!(link.is_over());
    // The link does not wait for a connection that is not there.
    link.close(LONG);
}

#[test]
fn nonsense_costs_its_connection_and_nothing_else() {
    let nonsense = [
        Frame::Data(b"before hello".to_vec()).encode(),
        Frame::Hello { received: 5 }.encode(),
        [
            Frame::Hello { received: 0 }.encode(),
            Frame::Received(1).encode(),
        ]
        .concat(),
        [
            Frame::Hello { received: 0 }.encode(),
            Frame::Hello { received: 0 }.encode(),
        ]
        .concat(),
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
    ];
    let (one, other) = (Link::new(LONG), Link::new(LONG));
    for bytes in nonsense {
        let (near, mut far) = UnixStream::pair().unwrap();
        one.connect(near.try_clone().unwrap(), near).unwrap();
        far.write_all(&bytes).unwrap();
        // It hangs up, after its own hello at most.
        let mut rest = Vec::new();
        let _ = far.read_to_end(&mut rest);
        assert!(rest.len() <= Frame::Hello { received: 0 }.encode().len());
    }
    let _streams = connect(&one, &other);
    one.writer().write_all(b"still here").unwrap();
    assert_eq!(
        received(&other, b"still here".len()).join().unwrap(),
        b"still here"
    );
}

/// A folder with a path that is too long for a socket, removed at the end.
struct Room(PathBuf);

impl Room {
    fn new(name: &str) -> Self {
        let long = "a-folder-with-a-name-that-is-longer-than-most".repeat(3);
        let path = std::env::temp_dir().join(format!("link-{name}-{}-{long}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn entries(&self) -> usize {
        std::fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_client_comes_back_through_the_door() {
    let room = Room::new("door");
    let name: SessionName = "00112233445566778899aabbccddeeff".parse().unwrap();
    assert!(come_back(&room.0, &name).is_err(), "nobody is there");
    let (holder, editor) = (Link::new(LONG), Link::new(LONG));
    let door = Door::open(&room.0, &name, holder.clone()).unwrap();
    let heard = received(&editor, 8);
    for piece in [b"one ", b"two "] {
        let (near, far) = UnixStream::pair().unwrap();
        let stream = come_back(&room.0, &name).unwrap();
        let (input, output) = (far.try_clone().unwrap(), far);
        let relaying = thread::spawn(move || relay(input, output, stream));
        let hang_up = near.try_clone().unwrap();
        editor.connect(near.try_clone().unwrap(), near).unwrap();
        holder.writer().write_all(piece).unwrap();
        hang_up.shutdown(Shutdown::Both).unwrap();
        relaying.join().unwrap().unwrap();
    }
    let stream = come_back(&room.0, &name).unwrap();
    editor.connect(stream.try_clone().unwrap(), stream).unwrap();
    assert_eq!(heard.join().unwrap(), b"one two ");
    door.close();
    assert_eq!(room.entries(), 0);
}

#[test]
fn who_only_looks_whether_anybody_listens_costs_nothing() {
    let room = Room::new("look");
    let (holder, editor) = (Link::new(Duration::ZERO), Link::new(LONG));
    let one: SessionName = "00112233445566778899aabbccddeeff".parse().unwrap();
    let door = Door::open(&room.0, &one, holder.clone()).unwrap();
    let _streams = connect(&holder, &editor);
    let heard = received(&editor, 4);
    drop(come_back(&room.0, &one).unwrap());
    // Opening another one looks whether this one is still held.
    let two: SessionName = "ffeeddccbbaa99887766554433221100".parse().unwrap();
    let other = Door::open(&room.0, &two, Link::new(LONG)).unwrap();
    let mut foreign = come_back(&room.0, &one).unwrap();
    foreign.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(foreign.read(&mut [0]).unwrap_or(0), 0, "it is hung up");
    holder.writer().write_all(b"here").unwrap();
    assert_eq!(heard.join().unwrap(), b"here");
    assert!(!holder.is_over());
    door.close();
    other.close();
}

#[test]
fn sockets_of_helpers_that_were_killed_are_removed() {
    let room = Room::new("tidy");
    let dead: SessionName = "ffffffffffffffffffffffffffffffff".parse().unwrap();
    let short = PathBuf::from(format!("/tmp/link-{}", std::process::id()));
    std::os::unix::fs::symlink(&room.0, &short).unwrap();
    let path = short.join("ffffffffffffffffffffffffffffffff");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    std::fs::remove_file(&short).unwrap();
    std::fs::write(room.0.join("note"), "not ours").unwrap();
    assert!(come_back(&room.0, &dead).is_err());
    let name: SessionName = "00112233445566778899aabbccddeeff".parse().unwrap();
    let door = Door::open(&room.0, &name, Link::new(LONG)).unwrap();
    assert_eq!(room.entries(), 2, "the note and the new one");
    door.close();
}
