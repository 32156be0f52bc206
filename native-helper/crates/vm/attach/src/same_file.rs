//! Whether a file is the mapped one, when device and inode do not prove it: on layered file systems
//! (overlayfs under containers, btrfs) the numbers in `maps` are not those of the path.

use std::fs::File;
use std::io;

use native_code::image::{BuildId, ImageError};
use native_code::{ImageSource, ObjectImage};
use target_memory::{ByteBudget, TargetMemory};
use target_proc::{Mapping, WaitLimit};

const MAX_NOTE_BYTES: usize = 4096;
/// Code that is compared of an object without build id.
const MAX_COMPARED_BYTES: usize = 1 << 20;

/// True when the memory of the mapping is the file's: the same build id, or in a file that has
/// none the same code. False also when the file does not answer.
pub fn is_mapped(
    memory: &impl TargetMemory,
    mapping: &Mapping,
    patience: &WaitLimit,
    file: &File,
) -> bool {
    let Ok(Ok(image)) = read_image(file, memory.budget(), patience) else {
        return false;
    };
    let executable = mapping.permissions.exec;
    let Some(bias) = image.bias_of_mapping(mapping.start, mapping.file_offset, executable) else {
        return false;
    };
    match (image.build_id(), image.build_id_note()) {
        (Some(build_id), Some((svma, bytes))) => {
            let notes = memory.read_vec(svma.wrapping_add(bias), bytes, MAX_NOTE_BYTES);
            notes.is_ok_and(|notes| BuildId::from_notes(&notes).as_ref() == Some(build_id))
        }
        _ => has_same_code(memory, mapping, patience, file),
    }
}

/// Reads an object, as long as there is patience for it.
pub fn read_image(
    file: &File,
    budget: &ByteBudget,
    patience: &WaitLimit,
) -> io::Result<Result<ObjectImage, ImageError>> {
    let (file, budget) = (file.try_clone()?, budget.clone());
    patience.wait(move || ObjectImage::read_within(&file, &budget))
}

fn has_same_code(
    memory: &impl TargetMemory,
    mapping: &Mapping,
    patience: &WaitLimit,
    file: &File,
) -> bool {
    if !mapping.permissions.exec {
        return false;
    }
    let in_mapping = usize::try_from(mapping.len()).unwrap_or(usize::MAX);
    let (in_mapping, offset) = (in_mapping.min(MAX_COMPARED_BYTES), mapping.file_offset);
    let Ok(file) = file.try_clone() else {
        return false;
    };
    let code = patience.wait(move || {
        let in_file = file.length_bytes()?.saturating_sub(offset);
        let length = in_mapping.min(usize::try_from(in_file).unwrap_or(usize::MAX));
        let mut bytes = vec![0; length];
        file.read_at(offset, &mut bytes)?;
        io::Result::Ok(bytes)
    });
    let Ok(Ok(code)) = code else { return false };
    !code.is_empty()
        && memory
            .read_vec(mapping.start, code.len(), MAX_COMPARED_BYTES)
            .is_ok_and(|mapped| mapped == code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use target_memory::LiveMemory;
    use target_proc::ProcFs;
    use target_proc::maps::mapping_at;

    /// The C library's or, in a static program, the program's own code in this process.
    fn own_mapping() -> Mapping {
        let maps = ProcFs::live().maps(std::process::id()).unwrap();
        mapping_at(&maps, is_own as fn() -> bool as usize as u64)
            .unwrap()
            .clone()
    }

    fn is_own() -> bool {
        let (mapping, memory) = (own_mapping(), LiveMemory::new(std::process::id()));
        is_mapped(
            &memory,
            &mapping,
            &WaitLimit::default(),
            &File::open("/proc/self/exe").unwrap(),
        )
    }

    #[test]
    fn the_own_program_is_what_is_mapped_and_another_is_not() {
        assert!(is_own());
        let (mapping, memory) = (own_mapping(), LiveMemory::new(std::process::id()));
        let shell = File::open(Path::new("/bin/sh")).unwrap();
        assert!(!is_mapped(&memory, &mapping, &WaitLimit::default(), &shell));
        assert!(!has_same_code(
            &memory,
            &mapping,
            &WaitLimit::default(),
            &shell
        ));
        let own = File::open("/proc/self/exe").unwrap();
        assert!(has_same_code(
            &memory,
            &mapping,
            &WaitLimit::default(),
            &own
        ));
        let text = File::open("/proc/self/maps").unwrap();
        assert!(!is_mapped(&memory, &mapping, &WaitLimit::default(), &text));
    }
}
