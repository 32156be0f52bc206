//! The files of mapped objects, and the needed parts of them.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use corpus::{NeededAddresses, ObjectRecord, Variables, trim};
use native_code::object_map::MappedObject;
use target_memory::{LiveMemory, TargetMemory, bytes_to_words};
use target_proc::{NoMoreRights, ProcFs, WaitLimit};

use crate::Result;

const MAX_VDSO_BYTES: usize = 1 << 16;

/// Each mapped object with its file.
pub fn object_files(pid: u32, objects: &[MappedObject]) -> Result<Vec<(MappedObject, Vec<u8>)>> {
    let mappings = ProcFs::live().maps(pid)?;
    objects
        .iter()
        .map(|object| {
            let mapping = mappings
                .iter()
                .find(|mapping| mapping.start == object.start_avma)
                .ok_or("a mapping is gone")?;
            let mut file = Vec::new();
            if mapping.path == "[vdso]" {
                let len_bytes = (mapping.end - mapping.start) as usize;
                file = LiveMemory::new(pid).read_vec(mapping.start, len_bytes, MAX_VDSO_BYTES)?;
            } else {
                let opened = ProcFs::live().open_object(
                    pid,
                    mapping,
                    (&WaitLimit::default(), &NoMoreRights),
                    |_| true,
                )?;
                (&opened.file).read_to_end(&mut file)?;
            }
            Ok((object.clone(), file))
        })
        .collect()
}

/// The mapped objects without what no sample and no table can lead to.
pub fn object_records(
    files: &[(MappedObject, Vec<u8>)],
    memory: &[(u64, Vec<u8>)],
    words: &HashSet<u64>,
) -> Result<Vec<ObjectRecord>> {
    let objects: Vec<&MappedObject> = files.iter().map(|(object, _)| object).collect();
    let mut needed: BTreeMap<u64, NeededAddresses> = BTreeMap::new();
    let mut note = |address: u64| {
        if let Some(object) = objects
            .iter()
            .find(|o| (o.start_avma..o.end_avma).contains(&address))
        {
            let addresses = needed.entry(object.start_avma).or_default();
            addresses.insert(address.wrapping_sub(object.bias));
            // Of a return address the call is looked up.
            addresses.insert(address.wrapping_sub(object.bias + 1));
        }
    };
    words.iter().for_each(|word| note(*word));
    for (start, bytes) in memory {
        // Code that was read, the targets of its calls, and pointers in tables.
        let is_code = objects
            .iter()
            .any(|o| (o.start_avma..o.end_avma).contains(start));
        note(*start);
        for (address, window) in (*start..).zip(bytes.windows(5)) {
            if is_code && window[0] == 0xe8 {
                let relative = i32::from_le_bytes([window[1], window[2], window[3], window[4]]);
                note(
                    address
                        .wrapping_add(5)
                        .wrapping_add_signed(i64::from(relative)),
                );
            }
        }
        let aligned = bytes
            .get((start.wrapping_neg() % 8) as usize..)
            .unwrap_or(&[]);
        let in_emulator = |word: &u64| {
            objects
                .iter()
                .any(|o| o.name.starts_with("beam.") && (o.start_avma..o.end_avma).contains(word))
        };
        bytes_to_words(aligned)
            .filter(in_emulator)
            .for_each(&mut note);
    }
    files
        .iter()
        .filter_map(|(object, file)| Some((object, file, needed.get(&object.start_avma)?)))
        .map(|(object, file, needed)| {
            let variables = match object.name.starts_with("beam.") {
                true => Variables::Keep,
                false => Variables::Drop,
            };
            Ok(ObjectRecord {
                name: object.name.to_string(),
                start_avma: object.start_avma,
                end_avma: object.end_avma,
                bias: object.bias,
                file_bytes: file.len() as u64,
                pieces: trim(file, needed, variables).ok_or("an object that is no ELF file")?,
            })
        })
        .collect()
}
