//! The parts of libFuzzer that fuzz targets need, for tests that run them with inputs that are kept: no search, no
//! coverage, and so no second build of the code they reach.

#[doc(hidden)]
pub use arbitrary;

/// Makes a target a function `run` of its module, with the input as libFuzzer hands it over.
#[macro_export]
macro_rules! fuzz_target {
    (|$bytes:ident: &[u8]| $body:block) => {
        pub fn run($bytes: &[u8]) {
            $body
        }
    };
    (|$input:ident: $type:ty| $body:block) => {
        pub fn run(bytes: &[u8]) {
            let unstructured = $crate::arbitrary::Unstructured::new(bytes);
            let Ok($input) =
                <$type as $crate::arbitrary::Arbitrary>::arbitrary_take_rest(unstructured)
            else {
                return;
            };
            $body
        }
    };
}
