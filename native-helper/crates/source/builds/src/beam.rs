//! A `.beam` file: the name of its module, and its checksum.
//!
//! It is an IFF file: `FOR1`, a length, `BEAM`, then chunks of a name, a length and bytes, each padded to
//! four; often gzipped. The VM's checksum is the MD5 of some chunks in an order of their own, wherever
//! they are in the file, with 0 for the old checksum of each fun.

use std::io::Read;

use flate2::read::GzDecoder;

/// No module is longer, inflated.
pub const MAX_BEAM_BYTES: usize = 64 << 20;
/// Chunks that count, in the order in which they do.
const ESSENTIAL: [&[u8; 4]; 9] = [
    b"Atom", b"AtU8", b"Code", b"StrT", b"ImpT", b"ExpT", b"FunT", b"LitT", b"Meta",
];
const MANDATORY: [&[u8; 4]; 4] = [b"Code", b"StrT", b"ImpT", b"ExpT"];
/// Six words for each fun, of which the last one is the old checksum.
const FUN_BYTES: usize = 24;
const FUN_KEPT: usize = 20;

/// The identity of a module, as its file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beam {
    /// Name of the module, without quotes.
    pub module: String,
    /// 32 hexadecimal digits in lower case.
    pub md5: String,
}

/// Why a file is no module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BeamError {
    /// It does not begin like one.
    #[error("it is no .beam file")]
    NotABeam,
    /// A length leads beyond its end.
    #[error("it is cut short")]
    Cut,
    /// It lacks a chunk that every module has.
    #[error("its chunk {0} is missing")]
    Missing(&'static str),
    /// The first atom, which is the module's name, is none.
    #[error("it does not name its module")]
    NoName,
    /// The compressed bytes are damaged.
    #[error("its gzip stream is damaged")]
    Gzip,
    /// It is longer than any module.
    #[error("it has more than {MAX_BEAM_BYTES} bytes")]
    TooLong,
}

impl Beam {
    /// Reads the bytes of a file, gzipped or not.
    ///
    /// # Errors
    /// See [`BeamError`].
    pub fn parse(file: &[u8]) -> Result<Self, BeamError> {
        match file.starts_with(&[0x1f, 0x8b]) {
            true => parse_plain(&inflated(file)?),
            false => parse_plain(file),
        }
    }
}

fn inflated(file: &[u8]) -> Result<Vec<u8>, BeamError> {
    let mut bytes = Vec::new();
    // One byte more shows whether it goes on.
    let mut stream = GzDecoder::new(file).take(MAX_BEAM_BYTES as u64 + 1);
    stream
        .read_to_end(&mut bytes)
        .map_err(|_| BeamError::Gzip)?;
    Ok(bytes)
}

fn parse_plain(file: &[u8]) -> Result<Beam, BeamError> {
    if file.len() > MAX_BEAM_BYTES {
        return Err(BeamError::TooLong);
    }
    let (b"FOR1", rest) = file.split_first_chunk().ok_or(BeamError::NotABeam)? else {
        return Err(BeamError::NotABeam);
    };
    let (length, rest) = length_at(rest)?;
    let body = rest.get(..length).ok_or(BeamError::Cut)?;
    let mut chunks = body.strip_prefix(b"BEAM").ok_or(BeamError::NotABeam)?;
    let mut found: [Option<&[u8]>; ESSENTIAL.len()] = [None; ESSENTIAL.len()];
    while !chunks.is_empty() {
        let (name, rest) = chunks.split_first_chunk::<4>().ok_or(BeamError::Cut)?;
        let (length, rest) = length_at(rest)?;
        let content = rest.get(..length).ok_or(BeamError::Cut)?;
        if let Some(index) = ESSENTIAL.iter().position(|known| *known == name) {
            found[index].get_or_insert(content);
        }
        // The padding of the last one may be missing.
        let next = length.checked_next_multiple_of(4).ok_or(BeamError::Cut)?;
        chunks = rest.get(next..).unwrap_or_default();
    }
    let chunk = |name: &[u8; 4]| {
        let index = ESSENTIAL.iter().position(|known| *known == name);
        index.and_then(|index| found[index])
    };
    for name in MANDATORY {
        if chunk(name).is_none() {
            return Err(BeamError::Missing(
                std::str::from_utf8(name).unwrap_or_default(),
            ));
        }
    }
    let module = match (chunk(b"AtU8"), chunk(b"Atom")) {
        (Some(atoms), _) => {
            first_atom(atoms).and_then(|name| String::from_utf8(name.to_vec()).ok())
        }
        // Before there was Unicode.
        (None, Some(atoms)) => {
            first_atom(atoms).map(|name| name.iter().map(|byte| char::from(*byte)).collect())
        }
        (None, None) => return Err(BeamError::Missing("AtU8")),
    };
    let module = module
        .filter(|name| !name.is_empty())
        .ok_or(BeamError::NoName)?;
    Ok(Beam {
        module,
        md5: checksum(&found),
    })
}

/// Four bytes, the most significant first, and the bytes after them.
fn length_at(bytes: &[u8]) -> Result<(usize, &[u8]), BeamError> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or(BeamError::Cut)?;
    Ok((u32::from_be_bytes(*length) as usize, rest))
}

/// A count of four bytes, then the atoms, each with its length before it: a byte, or where the count is
/// negative (since OTP 28) an integer as the code has them.
fn first_atom(atoms: &[u8]) -> Option<&[u8]> {
    let (count, rest) = atoms.split_first_chunk::<4>()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match i32::from_be_bytes(*count) {
        0 => return None,
        1.. => (usize::from(*first), rest),
        _ if first & 0x08 == 0 => (usize::from(first >> 4), rest),
        _ if first & 0x10 == 0 => {
            let (second, rest) = rest.split_first()?;
            (usize::from(first >> 5) << 8 | usize::from(*second), rest)
        }
        _ => return None,
    };
    rest.get(..length)
}

fn checksum(chunks: &[Option<&[u8]>; ESSENTIAL.len()]) -> String {
    let mut context = md5::Context::new();
    for (name, content) in ESSENTIAL.iter().zip(chunks) {
        let Some(content) = content else { continue };
        match *name {
            b"FunT" => add_funs(&mut context, content),
            _ => context.consume(content),
        }
    }
    format!("{:x}", context.finalize())
}

fn add_funs(context: &mut md5::Context, content: &[u8]) {
    let (count, funs) = content.split_at(content.len().min(4));
    context.consume(count);
    let (whole, rest) = funs.split_at(funs.len() - funs.len() % FUN_BYTES);
    for fun in whole.chunks_exact(FUN_BYTES) {
        context.consume(&fun[..FUN_KEPT]);
        context.consume([0; FUN_BYTES - FUN_KEPT]);
    }
    context.consume(rest);
}

#[cfg(test)]
mod tests;
