//! Any bytes as an ELF object: an error, or an image that answers for any address.
#![no_main]

use libfuzzer_sys::fuzz_target;
use native_code::ObjectImage;
use native_code::cfi::CfiScratch;

fuzz_target!(|object: &[u8]| {
    let Ok(image) = ObjectImage::read(object) else { return };
    let mut scratch = CfiScratch::new();
    for svma in [0, 0x40, 0x1000, 0x1001, 0x4000, u64::MAX] {
        if let Some(function) = image.function_at(svma) {
            assert!(function.start_svma <= svma);
        }
        let _ = image.row_at(&mut scratch, svma);
        let _ = image.bias_of_mapping(svma, svma, true);
    }
});
