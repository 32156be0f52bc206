//! What a recording counts.

use bpf_engine::Trigger;
use capture::sample_types::{CPU, FAULTS, OFF_CPU, TypeSet};
use serde::{Deserialize, Serialize};

/// The sources of its samples: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSet {
    /// Processor time, by a clock.
    pub cpu: bool,
    /// The time that schedulers had no processor, by their switches.
    pub off_cpu: bool,
    /// Page faults of all threads.
    pub faults: bool,
    /// Shorter times without a processor are counted, and are in no stack: microseconds.
    pub min_block_us: u32,
}

impl SourceSet {
    /// Processor time alone.
    pub const CPU: Self = Self {
        cpu: true,
        ..Self::NONE
    };
    /// The time without a processor alone.
    pub const OFF_CPU: Self = Self {
        off_cpu: true,
        ..Self::NONE
    };
    /// Page faults alone.
    pub const FAULTS: Self = Self {
        faults: true,
        ..Self::NONE
    };
    const NONE: Self = Self {
        cpu: false,
        off_cpu: false,
        faults: false,
        min_block_us: 0,
    };

    /// These and others.
    #[must_use]
    pub fn with(self, others: Self) -> Self {
        Self {
            cpu: self.cpu || others.cpu,
            off_cpu: self.off_cpu || others.off_cpu,
            faults: self.faults || others.faults,
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
        let others = [(self.off_cpu, OFF_CPU), (self.faults, FAULTS)];
        let others = others.into_iter().filter(|(is_one, _)| *is_one);
        let mut others = others.map(|(_, one)| one);
        let first = match self.cpu {
            true => CPU,
            false => others.next().unwrap_or(CPU),
        };
        others.fold(TypeSet::of(&first), |all, one| all.with(&one))
    }

    /// What the programs run at that they need.
    pub(crate) fn triggers(self) -> Vec<Trigger> {
        let is_clock = self.cpu || !(self.off_cpu || self.faults);
        let all = [
            (is_clock, Trigger::Clock),
            (self.off_cpu, Trigger::SwitchOut),
            (self.faults, Trigger::PageFault),
        ];
        let all = all.into_iter().filter(|(is_one, _)| *is_one);
        all.map(|(_, trigger)| trigger).collect()
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
        let all = both.with(SourceSet::FAULTS);
        let types: Vec<_> = all.types().iter().collect();
        assert_eq!(types, [CPU, OFF_CPU, FAULTS]);
        assert_eq!(all.triggers()[2..], [Trigger::PageFault]);
        assert_eq!(SourceSet::FAULTS.types(), TypeSet::of(&FAULTS));
        assert_eq!(SourceSet::FAULTS.triggers(), [Trigger::PageFault]);
        assert_eq!(SourceSet::CPU.types(), TypeSet::CPU);
        assert_eq!(SourceSet::CPU.triggers(), [Trigger::Clock]);
    }
}
