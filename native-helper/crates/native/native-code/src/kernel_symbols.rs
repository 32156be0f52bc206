//! Kernel function names from the text of `/proc/kallsyms`.

use std::io::{self, BufRead, Read};

/// Why there are no kernel names.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelSymbolsError {
    /// All addresses are zero: `kernel.kptr_restrict` hides them from this user.
    #[error("the kernel hides its addresses (kernel.kptr_restrict)")]
    Hidden,
    /// There is no function in it at all.
    #[error("no kernel function is listed")]
    Empty,
    /// More than an honest kernel lists.
    #[error("the list of kernel symbols is too long")]
    TooLong,
    /// The error of the read.
    #[error("reading kernel symbols: {0}")]
    Io(#[from] io::Error),
}

/// A kernel function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelSymbol<'a> {
    /// Name, as the kernel has it.
    pub name: &'a str,
    /// Module it belongs to (`ext4`), when it is not the kernel proper.
    pub module: Option<&'a str>,
    /// Where it starts.
    pub start_avma: u64,
}

/// Kernel functions by address: 12 bytes each and their names in one piece, some megabytes.
#[derive(Debug, Default)]
pub struct KernelSymbols {
    starts: Vec<u64>,
    /// Where each name starts in `names`; it ends where a newline is.
    names_at: Vec<u32>,
    names: String,
}

const MAX_SYMBOLS: usize = 1 << 20;
const MAX_NAMES_BYTES: usize = 32 << 20;
const MAX_LINE_BYTES: u64 = 4096;

/// No function is known to be longer; the kernel does not list sizes.
const MAX_FUNCTION_BYTES: u64 = 1 << 20;

impl KernelSymbols {
    /// Reads `address type name [module]` lines; lines of another shape are passed over.
    ///
    /// # Errors
    /// When addresses are hidden, nothing is listed, or reading fails.
    pub fn read(mut text: impl BufRead) -> Result<Self, KernelSymbolsError> {
        let mut names = String::new();
        let mut found: Vec<(u64, u32)> = Vec::new();
        let mut hidden = 0_usize;
        let mut line = Vec::new();
        loop {
            line.clear();
            if Read::take(&mut text, MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let Some((address, name)) = parse_line(&line) else {
                continue;
            };
            if address == 0 {
                hidden += 1;
                continue;
            }
            if found.len() >= MAX_SYMBOLS || names.len() + name.len() > MAX_NAMES_BYTES {
                return Err(KernelSymbolsError::TooLong);
            }
            let name_at = u32::try_from(names.len()).map_err(|_| KernelSymbolsError::TooLong)?;
            found.push((address, name_at));
            names.push_str(name);
            names.push('\n');
        }
        if found.is_empty() {
            let is_hidden = hidden > 0;
            return Err(if is_hidden {
                KernelSymbolsError::Hidden
            } else {
                KernelSymbolsError::Empty
            });
        }
        // Stable: of several names of one address the kernel's first is kept.
        found.sort_by_key(|&(address, _)| address);
        found.dedup_by_key(|&mut (address, _)| address);
        names.shrink_to_fit();
        let (starts, names_at) = found.into_iter().unzip();
        Ok(Self {
            starts,
            names_at,
            names,
        })
    }

    /// The function that holds an address, as far as a list without sizes shows it.
    #[must_use]
    pub fn function_at(&self, avma: u64) -> Option<KernelSymbol<'_>> {
        let at = self
            .starts
            .partition_point(|&start| start <= avma)
            .checked_sub(1)?;
        let start_avma = *self.starts.get(at)?;
        if avma - start_avma >= MAX_FUNCTION_BYTES {
            return None;
        }
        let text = self
            .names
            .get(*self.names_at.get(at)? as usize..)?
            .lines()
            .next()?;
        let (name, module) = match text.split_once('\t') {
            Some((name, module)) => (name, Some(module.trim_matches(['[', ']']))),
            None => (text, None),
        };
        Some(KernelSymbol {
            name,
            module,
            start_avma,
        })
    }

    /// Number of functions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Never true of a list that was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Memory held, bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.names.capacity() + self.starts.capacity() * 8 + self.names_at.capacity() * 4
    }
}

/// Address and `name` or `name\t[module]` of a function's line.
fn parse_line(line: &[u8]) -> Option<(u64, &str)> {
    let line = str::from_utf8(line).ok()?.trim_end();
    let (address, rest) = line.split_once(' ')?;
    let (kind, name) = rest.split_once(' ')?;
    let is_function = matches!(kind, "T" | "t" | "W" | "w");
    let is_number = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_function || !is_number || name.is_empty() || name.contains(['\n', '\r']) {
        return None;
    }
    Some((u64::from_str_radix(address, 16).ok()?, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "\
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t do_one
ffffffff81000180 D some_data
ffffffff81000200 W weak_one
ffffffffc0000000 t read_block\t[ext4]
ffffffff81000150 T between
";

    fn name_at(symbols: &KernelSymbols, avma: u64) -> Option<&str> {
        symbols.function_at(avma).map(|symbol| symbol.name)
    }

    #[test]
    fn finds_functions_by_address() {
        let symbols = KernelSymbols::read(TEXT.as_bytes()).unwrap();
        assert_eq!(symbols.len(), 5);
        assert_eq!(name_at(&symbols, 0xffff_ffff_80ff_ffff), None);
        assert_eq!(name_at(&symbols, 0xffff_ffff_8100_0010), Some("_stext"));
        assert_eq!(name_at(&symbols, 0xffff_ffff_8100_014f), Some("do_one"));
        assert_eq!(name_at(&symbols, 0xffff_ffff_8100_01ff), Some("between"));
        let module = symbols.function_at(0xffff_ffff_c000_0001).unwrap();
        assert_eq!((module.name, module.module), ("read_block", Some("ext4")));
        assert_eq!(name_at(&symbols, 0xffff_ffff_f000_0000), None);
    }

    #[test]
    fn hidden_and_empty_lists_are_distinguished() {
        let hidden = KernelSymbols::read(&b"0000000000000000 T a\n0000000000000000 t b\n"[..]);
        assert!(matches!(hidden, Err(KernelSymbolsError::Hidden)));
        assert!(matches!(
            KernelSymbols::read(&b""[..]),
            Err(KernelSymbolsError::Empty)
        ));
    }

    #[test]
    fn reads_the_kernel_of_this_machine_or_has_the_reason() {
        let file = std::fs::File::open("/proc/kallsyms").unwrap();
        match KernelSymbols::read(io::BufReader::new(file)) {
            Ok(symbols) => {
                assert!(symbols.len() > 1000);
                assert!(symbols.heap_bytes() < 24 << 20, "{}", symbols.heap_bytes());
            }
            Err(error) => assert!(matches!(error, KernelSymbolsError::Hidden), "{error}"),
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(
            text in proptest::collection::vec(any::<u8>(), 0..256), avma in any::<u64>(),
        ) {
            if let Ok(symbols) = KernelSymbols::read(text.as_slice()) {
                let _ = symbols.function_at(avma);
            }
        }

        #[test]
        fn damaged_lists_never_panic(at in 0..TEXT.len(), byte in any::<u8>(), avma in any::<u64>()) {
            let mut text = TEXT.as_bytes().to_vec();
            text[at] = byte;
            if let Ok(symbols) = KernelSymbols::read(text.as_slice()) {
                let _ = symbols.function_at(avma);
            }
        }
    }
}
