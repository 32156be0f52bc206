//! A NIF in Rust, with plain bindings. A comment above each hot line names its function.

use std::ffi::{c_char, c_int, c_uint, c_void};

type Term = usize;
type Nif = extern "C" fn(*mut c_void, c_int, *const Term) -> Term;

#[repr(C)]
struct Function {
    name: *const c_char,
    arity: c_uint,
    code: Nif,
    flags: c_uint,
}

#[repr(C)]
struct Entry {
    major: c_int,
    minor: c_int,
    name: *const c_char,
    function_count: c_int,
    functions: *const Function,
    load: *const c_void,
    reload: *const c_void,
    upgrade: *const c_void,
    unload: *const c_void,
    variant: *const c_char,
    options: c_uint,
    resource_init_bytes: usize,
    minimum_erts: *const c_char,
}

unsafe extern "C" {
    fn enif_get_ulong(env: *mut c_void, term: Term, value: *mut u64) -> c_int;
    fn enif_make_ulong(env: *mut c_void, value: u64) -> Term;
    fn enif_make_badarg(env: *mut c_void) -> Term;
}

struct Weight(u64);

impl Weight {
    /// Goes into its caller, which debug information shows.
    #[inline(always)]
    fn added(&self, step: u64) -> Weight {
        // hot: shop_rust::Weight::added
        Weight((((self.0 + step) * 1_103_515) ^ (self.0 >> 9)) % 4_294_967_291)
    }
}

#[inline(never)]
fn weighed(count: u64) -> u64 {
    (0..count).fold(Weight(1), |sum, step| sum.added(step)).0
}

extern "C" fn weigh(env: *mut c_void, _argc: c_int, argv: *const Term) -> Term {
    let mut count = 0;
    unsafe {
        match enif_get_ulong(env, *argv, &mut count) {
            0 => enif_make_badarg(env),
            _ => enif_make_ulong(env, weighed(count) & 0xffff),
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn nif_init() -> *const Entry {
    let functions = Box::leak(Box::new([Function {
        name: c"weigh".as_ptr(),
        arity: 1,
        code: weigh,
        flags: 0,
    }]));
    Box::leak(Box::new(Entry {
        major: 2,
        minor: 14,
        name: c"shop_rust".as_ptr(),
        function_count: 1,
        functions: functions.as_ptr(),
        load: std::ptr::null(),
        reload: std::ptr::null(),
        upgrade: std::ptr::null(),
        unload: std::ptr::null(),
        variant: c"beam.vanilla".as_ptr(),
        options: 1,
        resource_init_bytes: 120,
        minimum_erts: c"erts-10.0".as_ptr(),
    }))
}
