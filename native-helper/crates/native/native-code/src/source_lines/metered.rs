//! A reader of debug information that counts the bytes read.
//!
//! Sections may lead a parser round in circles: a thousand units that share one table, lists that
//! name each other. Whatever a parser does, it reads something each time; so a limit on that ends it.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use byte_budget::HeldBytes;
use gimli::{Error, LittleEndian, Reader, ReaderOffsetId, Result};

/// How much was read of all sections of an object, and how much may be.
#[derive(Debug, Default)]
pub(super) struct Meter {
    read_bytes: AtomicU64,
    limit_bytes: AtomicU64,
}

impl Meter {
    pub(super) fn with_limit(limit_bytes: u64) -> Arc<Self> {
        let meter = Self::default();
        meter.limit_bytes.store(limit_bytes, Ordering::Relaxed);
        Arc::new(meter)
    }

    pub(super) fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// Does work that may read at most `step_bytes`.
    pub(super) fn within<T>(&self, step_bytes: u64, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let limit = self.limit_bytes.load(Ordering::Relaxed);
        let of_step = self.read_bytes().saturating_add(step_bytes);
        self.limit_bytes
            .store(of_step.min(limit), Ordering::Relaxed);
        let done = work();
        self.limit_bytes.store(limit, Ordering::Relaxed);
        done
    }

    fn pay(&self, bytes: u64) -> Result<()> {
        let before = self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
        match before.saturating_add(bytes) <= self.limit_bytes.load(Ordering::Relaxed) {
            true => Ok(()),
            false => Err(Error::UnexpectedEof(ReaderOffsetId(0))),
        }
    }
}

/// The bytes of one section.
#[derive(Debug)]
struct Section {
    bytes: Option<HeldBytes>,
    meter: Arc<Meter>,
}

/// A part of a section.
#[derive(Debug, Clone)]
pub(super) struct Metered {
    section: Arc<Section>,
    start: usize,
    end: usize,
}

impl Metered {
    /// All of a section; `None` when the object has none of the kind.
    pub(super) fn new(bytes: Option<HeldBytes>, meter: &Arc<Meter>) -> Self {
        let end = bytes.as_ref().map_or(0, |bytes| bytes.len());
        let meter = Arc::clone(meter);
        Self {
            section: Arc::new(Section { bytes, meter }),
            start: 0,
            end,
        }
    }

    fn bytes(&self) -> &[u8] {
        let all = self.section.bytes.as_deref().unwrap_or_default();
        all.get(self.start..self.end).unwrap_or_default()
    }

    fn pay(&self, bytes: usize) -> Result<()> {
        self.section.meter.pay(bytes as u64)
    }

    fn ends_early(&self) -> Error {
        Error::UnexpectedEof(self.offset_id())
    }

    /// Where the first `bytes` of it end.
    fn after(&self, bytes: usize) -> Result<usize> {
        let end = self.start.checked_add(bytes);
        end.filter(|end| *end <= self.end)
            .ok_or_else(|| self.ends_early())
    }
}

impl Reader for Metered {
    type Endian = LittleEndian;
    type Offset = usize;

    fn endian(&self) -> LittleEndian {
        LittleEndian
    }

    fn len(&self) -> usize {
        self.end - self.start
    }

    fn empty(&mut self) {
        self.end = self.start;
    }

    fn truncate(&mut self, len: usize) -> Result<()> {
        self.end = self.after(len)?;
        Ok(())
    }

    fn offset_from(&self, base: &Self) -> usize {
        self.start.saturating_sub(base.start)
    }

    fn offset_id(&self) -> ReaderOffsetId {
        ReaderOffsetId(self.start as u64)
    }

    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        let offset = usize::try_from(id.0).ok()?.checked_sub(self.start)?;
        (offset <= self.len()).then_some(offset)
    }

    fn find(&self, byte: u8) -> Result<usize> {
        let found = self.bytes().iter().position(|&other| other == byte);
        self.pay(found.unwrap_or(self.len()))?;
        found.ok_or_else(|| self.ends_early())
    }

    fn skip(&mut self, len: usize) -> Result<()> {
        self.pay(1)?;
        self.start = self.after(len)?;
        Ok(())
    }

    fn split(&mut self, len: usize) -> Result<Self> {
        self.pay(1)?;
        let end = self.after(len)?;
        let first = Self {
            end,
            ..self.clone()
        };
        self.start = end;
        Ok(first)
    }

    fn to_slice(&self) -> Result<Cow<'_, [u8]>> {
        self.pay(self.len())?;
        Ok(self.bytes().into())
    }

    fn to_string(&self) -> Result<Cow<'_, str>> {
        self.pay(self.len())?;
        let text = str::from_utf8(self.bytes());
        text.map(Cow::from).map_err(|_| Error::BadUtf8)
    }

    fn to_string_lossy(&self) -> Result<Cow<'_, str>> {
        self.pay(self.len())?;
        Ok(String::from_utf8_lossy(self.bytes()))
    }

    fn read_slice(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.pay(buffer.len())?;
        let end = self.after(buffer.len())?;
        let read = self.bytes().get(..buffer.len()).unwrap_or_default();
        buffer.copy_from_slice(read);
        self.start = end;
        Ok(())
    }
}
