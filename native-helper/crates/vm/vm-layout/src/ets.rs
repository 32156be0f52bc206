//! Where a scheduler has the ETS tables that were made on it, and where a table has its fields.
//!
//! The figures are data like those of [`super::rows`]. Where a scheduler has its list is not looked up by
//! release: it is the only place of its struct that leads to tables which lead to each other.

/// Offsets in `DbTableCommon`, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// Bytes to read to have every field below.
    pub read_bytes: usize,
    /// The next one of the same scheduler: they are in a circle.
    pub next: usize,
    /// The one before it.
    pub previous: usize,
    /// Its type, 32 bits: the `TYPE_` bits.
    pub kind: usize,
    /// Its owner, a pid.
    pub owner: usize,
    /// Its name, an atom.
    pub name: usize,
    /// Whether it counts on many cache lines, one byte.
    pub is_decentralised: usize,
    /// Objects in it; of one that counts on many cache lines, where they are.
    pub items: usize,
    /// Bytes, unless it counts elsewhere.
    pub bytes: usize,
    /// The access rights, 32 bits: the `STATUS_` bits.
    pub status: usize,
}

/// One row for OTP 23 to 29, where nothing of it moved.
pub const TABLE: TableLayout = TableLayout {
    provenance: "debug information of OTP 25.2.3, 27.3.4 and 29.1.1 headers; read live on Debian's 23, 25, 27 and 29",
    read_bytes: 288,
    next: 16,
    previous: 24,
    kind: 172,
    owner: 176,
    name: 208,
    is_decentralised: 236,
    items: 240,
    bytes: 248,
    status: 280,
};

/// How the table of table names keeps a name: a bucket for each of a power of two of atom numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameBucket {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// How long a bucket is, bytes.
    pub bytes: u64,
    /// Where a bucket with one table has the name of that table, an atom; the table is in the word behind it.
    pub name: u64,
}

/// By release. Which one holds follows from the tables: each is in the bucket of its name.
pub const NAME_BUCKETS: [NameBucket; 2] = [
    NameBucket {
        provenance: "read live on Debian's 23, 25 and 27",
        bytes: 16,
        name: 0,
    },
    NameBucket {
        provenance: "read live on Debian's 29",
        bytes: 32,
        name: 16,
    },
];
/// The shortest table of names has that many buckets.
pub const MIN_NAME_BUCKETS: u64 = 8192;

/// `set`.
pub const TYPE_SET: u32 = 0x10;
/// `bag`.
pub const TYPE_BAG: u32 = 0x20;
/// `duplicate_bag`.
pub const TYPE_DUPLICATE_BAG: u32 = 0x40;
/// `ordered_set`.
pub const TYPE_ORDERED_SET: u32 = 0x80;
/// `ordered_set` that is written to by many.
pub const TYPE_SHARED_ORDERED_SET: u32 = 0x100;
/// It can be found by its name.
pub const TYPE_NAMED: u32 = 0x800;
/// `private`.
pub const STATUS_PRIVATE: u32 = 1;
/// `protected`.
pub const STATUS_PROTECTED: u32 = 2;
/// `public`.
pub const STATUS_PUBLIC: u32 = 4;
/// It is being deleted.
pub const STATUS_DELETED: u32 = 8;

/// Counters on many cache lines: the bytes before the first of them.
pub const COUNTERS_HEAD_BYTES: usize = 16;
/// One cache line, of which the first word counts objects and the second bytes.
pub const COUNTERS_LINE_BYTES: usize = 64;

/// Where a scheduler of known releases has its list, bytes from its start; the number of tables is in the
/// word before. For others, the place is found by [the tables it leads to](self).
pub const LISTS: [(&str, usize); 3] = [
    ("OTP 25 (JIT)", 41_720),
    ("OTP 27 (JIT)", 41_760),
    ("OTP 29 (JIT)", 41_784),
];

/// Where an `ordered_set` that is one tree has the top of it, bytes from its start, by release. The tree shows
/// which one holds: it has as many objects as the table counts.
pub const TREE_TOPS: [(&str, usize); 2] = [("OTP 25 to 29", 304), ("OTP 23", 320)];

/// Offsets in `TreeDbTerm`, an object of such a table with its links to the nodes below, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeNodeLayout {
    /// Where the figures come from.
    pub provenance: &'static str,
    /// The nodes below, or null: the lesser and the greater one.
    pub below: [usize; 2],
    /// How many words its term has.
    pub words: usize,
    /// These words, the tuple first.
    pub term: usize,
}

/// One row for OTP 23 to 29, where nothing of it moved.
pub const TREE_NODE: TreeNodeLayout = TreeNodeLayout {
    provenance: "read live on Debian's 23, 25, 27 and 29: a tree of 1,237 objects",
    below: [0, 8],
    words: 32,
    term: 40,
};
