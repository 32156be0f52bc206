//! The shared fragments of the JIT that call the C functions of built-in functions.

use arch::{calls_through_registers, calls_through_words};

use super::name::named_fragments;
use crate::blob::ModuleCode;

/// Compiled code calls it for nearly every built-in function, and gives it the C function.
const OF_CODE: &str = "call_light_bif_shared";
/// The stubs of built-in functions lead to it, and so does one that continues after an interruption.
const OF_STUBS: &str = "call_bif_shared";

/// Where built-in functions are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuiltInCalls {
    /// The fragment that compiled code calls.
    pub shared: Option<u64>,
    /// Where the C function returns to that compiled code has given it.
    pub from_code: Option<u64>,
    /// Where one returns to that a stub led to, or an interruption.
    pub from_stub: Option<u64>,
}

impl BuiltInCalls {
    /// Finds them in the fragments, whose bytes are `code`.
    pub fn find(fragments: &ModuleCode, code: &[u8]) -> Self {
        let mut found = Self::default();
        for (name, bytes, address) in named_fragments(fragments, code) {
            match &*name {
                OF_CODE => {
                    // The others are of C functions of the emulator's own, be it after the built-in function.
                    if let [returns_to] = *calls_through_registers(bytes, address) {
                        (found.shared, found.from_code) = (Some(address), Some(returns_to));
                    }
                }
                OF_STUBS => {
                    // After it come those for its result.
                    let calls = calls_through_words(bytes, address, |_| Some(0));
                    let first = calls.iter().find(|call| !call.is_tail);
                    found.from_stub = first.map(|call| call.after);
                }
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blob::tests::module_blob;
    use crate::blob::{Blob, parse_blob};

    #[test]
    fn the_call_of_the_built_in_function_is_the_one_through_a_register_or_the_first() {
        let of_code = [
            0xff, 0xd0, // 0: call rax
            0xff, 0x15, 0x02, 0, 0, 0,    // 2: call [rip+2]
            0xc3, // 8: ret
        ];
        let of_stubs = [
            0xff, 0x15, 0x02, 0, 0, 0, // 10: call [rip+2]
            0xff, 0x15, 0x02, 0, 0, 0,    // 16: call [rip+2]
            0xc3, // 1c: ret
        ];
        let mut code = of_code.to_vec();
        code.resize(0x10, 0xcc);
        code.extend(of_stubs);
        code.resize(0x20, 0xcc);
        let found = |of_code: &str| {
            let ranges = [
                (0, 9, of_code, &[][..]),
                (0x10, 0x1d, "global::call_bif_shared", &[]),
            ];
            let blob = module_blob("global", 0x50_0000, 0x20, &ranges);
            let Ok(Blob::Module(fragments)) = parse_blob(&blob) else {
                panic!("no fragments");
            };
            // Without their code there are no fragments.
            let without = BuiltInCalls::find(&fragments, &[]);
            assert_eq!(without, BuiltInCalls::default());
            BuiltInCalls::find(&fragments, &code)
        };
        let all = BuiltInCalls {
            shared: Some(0x50_0000),
            from_code: Some(0x50_0002),
            from_stub: Some(0x50_0016),
        };
        assert_eq!(found("global::call_light_bif_shared"), all);
        let without = BuiltInCalls {
            from_stub: all.from_stub,
            ..BuiltInCalls::default()
        };
        assert_eq!(found("global::something_else"), without);
    }
}
