//! What a recording counts.

use bpf_engine::Trigger;
use capture::sample_types::{CPU, OFF_CPU, TypeSet};
use serde::{Deserialize, Serialize};

/// The sources of its samples: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSet {
    /// Processor time, by a clock.
    pub cpu: bool,
    /// The time that schedulers had no processor, by their switches.
    pub off_cpu: bool,
    /// Shorter times without a processor are counted, and are in no stack: microseconds.
    pub min_block_us: u32,
}

impl SourceSet {
    /// Processor time alone.
    pub const CPU: Self = Self {
        cpu: true,
        off_cpu: false,
        min_block_us: 0,
    };
    /// The time without a processor alone.
    pub const OFF_CPU: Self = Self {
        cpu: false,
        off_cpu: true,
        min_block_us: 0,
    };

    /// These and others.
    #[must_use]
    pub fn with(self, others: Self) -> Self {
        Self {
            cpu: self.cpu || others.cpu,
            off_cpu: self.off_cpu || others.off_cpu,
            min_block_us: self.min_block_us.max(others.min_block_us),
        }
    }

    /// These, without blocks that are shorter than that.
    #[must_use]
    pub fn with_min_block_us(self, min_block_us: u32) -> Self {
        Self {
            min_block_us,
            ..self
        }
    }

    /// The types of samples that they take.
    pub fn types(self) -> TypeSet {
        match (self.cpu, self.off_cpu) {
            (true, true) => TypeSet::CPU.with(&OFF_CPU),
            (false, true) => TypeSet::of(&OFF_CPU),
            (_, false) => TypeSet::of(&CPU),
        }
    }

    /// What the programs run at that they need.
    pub(crate) fn triggers(self) -> &'static [Trigger] {
        match (self.cpu, self.off_cpu) {
            (true, true) => &[Trigger::Clock, Trigger::SwitchOut],
            (false, true) => &[Trigger::SwitchOut],
            (_, false) => &[Trigger::Clock],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_together_are_in_one_order() {
        let both = SourceSet::OFF_CPU.with(SourceSet::CPU);
        assert_eq!(both, SourceSet::CPU.with(SourceSet::OFF_CPU));
        let types: Vec<_> = both.types().iter().collect();
        assert_eq!(types, [CPU, OFF_CPU]);
        assert_eq!(both.triggers(), [Trigger::Clock, Trigger::SwitchOut]);
        assert_eq!(SourceSet::CPU.types(), TypeSet::CPU);
        assert_eq!(SourceSet::CPU.triggers(), [Trigger::Clock]);
    }
}
