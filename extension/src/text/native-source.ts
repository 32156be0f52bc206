/** Files of C, C++ and Rust. */
export const NATIVE_SOURCE = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|rs)$/i;
