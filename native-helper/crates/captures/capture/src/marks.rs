//! The frames that stand for others: why frames of a stack are missing, or are no functions.
//!
//! Each reason has a name of its own. The documentation lists them (`docs/captures.md`); a test compares.

/// Why a frame is no function of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// The frames were read, but nothing proves that they are those of the sample.
    Unproven,
    /// The stack is longer than the part of it that is copied, or memory was not there to be copied.
    NotCopied,
    /// No rule is known for the C frame above, or its stack is longer than the part that is copied.
    NotUnwound,
    /// The stack has more frames than a capture keeps of one.
    TooDeep,
    /// So many deep stacks waited to be written that only both ends of further ones are kept.
    Shortened,
    /// Code was replaced, and it is not known which version ran.
    Reloaded(Reloaded),
    /// Code in the range of the JIT that no module claims, or that nothing proves to be of one.
    UnknownJit,
    /// Code that is in no known object.
    UnknownCode,
    /// Erlang code runs here, and nothing shows which function.
    UnknownFunction,
    /// A process ends, and no longer has a stack.
    Exiting,
    /// The sample has no registers of user space.
    NoRegisters,
    /// A block of a storm that has no sample, and is too long for others to stand for it.
    LeftOut,
}

/// Why it is not known which version of replaced code ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reloaded {
    /// It was replaced between the readings of the list of code before and after the sample, or there is none after it.
    BetweenReadings,
    /// It was just purged, and may have run a moment longer than it was listed.
    JustPurged,
    /// The process was ending, so its stack may have addresses of code that was purged before.
    Ending,
    /// The sample is older than all readings that are kept.
    BeforeReadings,
    /// Its machine code, which shows where its callers are, is gone, or nothing proves that it is this version's.
    CodeGone,
}

impl Reloaded {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::BetweenReadings,
        Self::JustPurged,
        Self::Ending,
        Self::BeforeReadings,
        Self::CodeGone,
    ];

    /// The reason as the name of the mark has it.
    pub fn words(self) -> &'static str {
        let name = Mark::Reloaded(self).name();
        let reason = name.split_once(": ").map_or(name, |(_, reason)| reason);
        reason.trim_end_matches(']')
    }
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Unproven,
        Self::NotCopied,
        Self::NotUnwound,
        Self::TooDeep,
        Self::Shortened,
        Self::Reloaded(Reloaded::BetweenReadings),
        Self::Reloaded(Reloaded::JustPurged),
        Self::Reloaded(Reloaded::Ending),
        Self::Reloaded(Reloaded::BeforeReadings),
        Self::Reloaded(Reloaded::CodeGone),
        Self::UnknownJit,
        Self::UnknownCode,
        Self::UnknownFunction,
        Self::Exiting,
        Self::NoRegisters,
        Self::LeftOut,
    ];

    /// The name of the frame.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unproven => "[unproven]",
            Self::NotCopied => "[not copied]",
            Self::NotUnwound => "[not unwound]",
            Self::TooDeep => "[too deep]",
            Self::Shortened => "[shortened]",
            Self::Reloaded(Reloaded::BetweenReadings) => "[code reloaded: between readings]",
            Self::Reloaded(Reloaded::JustPurged) => "[code reloaded: just purged]",
            Self::Reloaded(Reloaded::Ending) => "[code reloaded: process ending]",
            Self::Reloaded(Reloaded::BeforeReadings) => "[code reloaded: before readings]",
            Self::Reloaded(Reloaded::CodeGone) => "[code reloaded: code gone]",
            Self::UnknownJit => "[unknown JIT code]",
            Self::UnknownCode => "[unknown code]",
            Self::UnknownFunction => "[unknown function]",
            Self::Exiting => "[exiting]",
            Self::NoRegisters => "[no user registers]",
            Self::LeftOut => "[left out]",
        }
    }

    /// Whether `name` is that of a mark, in captures of any version.
    pub fn is_name(name: &str) -> bool {
        [EARLIER_CUT, EARLIER_RELOADED].contains(&name)
            || Self::ALL.iter().any(|mark| mark.name() == name)
    }
}

/// What earlier versions wrote for [`Mark::NotCopied`], [`Mark::NotUnwound`], [`Mark::TooDeep`] and
/// [`Mark::Shortened`] alike.
pub const EARLIER_CUT: &str = "[truncated]";

/// What earlier versions wrote for each [`Mark::Reloaded`].
pub const EARLIER_RELOADED: &str = "[code reloaded]";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_a_name_of_its_own_and_the_documentation_lists_it() {
        let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let page = std::path::Path::new(&crate_folder).join("../../../../docs/captures.md");
        let page = std::fs::read_to_string(page).unwrap();
        for mark in Mark::ALL {
            let name = mark.name();
            assert!(page.contains(&format!("\n| `{name}` |")), "{name}");
            let same = Mark::ALL.iter().filter(|other| other.name() == name);
            assert_eq!(same.count(), 1, "{name}");
            assert!(Mark::is_name(name));
        }
        assert!(Mark::is_name(EARLIER_RELOADED));
        assert!(Mark::is_name(EARLIER_CUT) && !Mark::is_name("[scheduler]"));
    }
}
