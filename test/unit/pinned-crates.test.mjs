// Every third-party crate is the one that was reviewed, byte for byte, and has a reason to be there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lockedCrates, pinningFaults, readLocks, readPinned } from "../../scripts/pinned-crates.mjs";

test("the lock files name no other crates than those that were looked at", () => {
  assert.deepEqual(
    pinningFaults(readLocks(), readPinned()),
    [],
    "node scripts/pinned-crates.mjs --write, and give each new one its reason",
  );
  assert.ok(readLocks().every((lock) => lockedCrates(lock).length > 50));
});

const LOCK = `version = 4

[[package]]
name = "ours"
version = "0.1.0"
dependencies = ["theirs"]

[[package]]
name = "theirs"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "aa"
`;
const PINNED = { name: "theirs", version: "1.0.0", checksum: "aa", reason: "needed for this and that" };

test("another version, other bytes, another registry, a new crate and one without a reason are reported", () => {
  assert.deepEqual(pinningFaults([LOCK], [PINNED]), []);
  assert.match(pinningFaults([LOCK], [])[0] ?? "", /theirs 1\.0\.0 is new/);
  assert.match(pinningFaults([LOCK], [{ ...PINNED, checksum: "bb" }])[0] ?? "", /of other bytes/);
  assert.match(pinningFaults([LOCK], [{ ...PINNED, reason: "" }])[0] ?? "", /has no reason/);
  assert.match(pinningFaults([LOCK], [PINNED, { ...PINNED, name: "gone" }])[0] ?? "", /gone 1\.0\.0 is not used/);
  const fromGit = LOCK.replace(
    "registry+https://github.com/rust-lang/crates.io-index",
    "git+https://example.org/theirs",
  );
  assert.match(pinningFaults([fromGit], [PINNED])[0] ?? "", /is not from crates\.io: git\+/);
  const newer = LOCK.replace('"1.0.0"', '"1.0.1"');
  assert.deepEqual(pinningFaults([newer], [PINNED]).length, 2);
});
