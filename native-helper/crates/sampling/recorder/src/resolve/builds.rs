//! Which builds of modules the VM runs: the checksum of each module of which a function was named.
//!
//! A module is looked up once, soon after it was named first, while it is most likely there.

use std::collections::HashSet;
use std::sync::Arc;

use attach::AttachedVm;
use capture::facts::{BuildFacts, MAX_BUILD_MODULES, MAX_LIBRARIES};
use target_memory::TargetMemory;
use target_proc::release::add_libraries;
use vm_code::blob::ModuleCode;
use vm_code::checksums::{Checksum, ModuleHeader};
use vm_code::code_map::CodeLocation;
use vm_code::range_names::RangeName;

/// A VM that loads modules while it is looked at may give no answer the first time.
const TRIES: u32 = 5;

/// Modules of which a function was named.
#[derive(Debug, Default)]
pub struct NamedModules {
    known: HashSet<u64>,
    waiting: Vec<Arc<ModuleCode>>,
}

impl NamedModules {
    /// Notes the module of a place in code.
    pub fn note(&mut self, location: &CodeLocation) {
        let is_module = !matches!(location.name, RangeName::Fragment(_));
        // More are not kept anyhow, and a VM that loads code without end shall not fill our memory.
        let has_room = self.waiting.len() <= MAX_BUILD_MODULES;
        if is_module && has_room && self.known.insert(location.module.base) {
            self.waiting.push(Arc::clone(&location.module));
        }
    }

    /// Those that were noted since the last call.
    pub fn take(&mut self) -> Vec<Arc<ModuleCode>> {
        std::mem::take(&mut self.waiting)
    }

    /// Code was replaced: code that is named from now on may be another build.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}

/// The builds found so far.
#[derive(Debug, Default)]
pub struct Builds {
    facts: BuildFacts,
    header: Option<ModuleHeader>,
    tries: u32,
    /// Modules to look up as soon as it is known how.
    waiting: Vec<Arc<ModuleCode>>,
    /// Modules that were reported already; `None` before the first report.
    reported: Option<usize>,
    has_news: bool,
}

impl Builds {
    /// Sets the facts that are known before any module is looked up.
    pub fn set_release(&mut self, release: BuildFacts) {
        self.facts = release;
        self.has_news = true;
    }

    /// Reads the checksums of these modules from the VM.
    pub(super) fn look_up<M: TargetMemory>(
        &mut self,
        vm: &mut AttachedVm<M>,
        mut modules: Vec<Arc<ModuleCode>>,
    ) {
        if modules.is_empty() {
            return;
        }
        let room = MAX_BUILD_MODULES.saturating_sub(self.waiting.len());
        modules.truncate(room);
        self.waiting.append(&mut modules);
        if self.header.is_none() && self.tries < TRIES {
            self.tries += 1;
            let all = vm.code.current().modules().map(AsRef::as_ref);
            self.header = ModuleHeader::derive(&vm.memory, all, vm.layout.module_md5);
        }
        let Some(header) = self.header else {
            return;
        };
        for module in std::mem::take(&mut self.waiting) {
            let files = module.files.iter().map(AsRef::as_ref);
            add_libraries(&mut self.facts.libraries, files, MAX_LIBRARIES);
            if let Some((name, md5)) = header.checksum(&vm.memory, &mut vm.atoms, &module) {
                self.add(name, md5);
            }
        }
    }

    fn add(&mut self, name: String, md5: Checksum) {
        let md5: String = md5.iter().map(|byte| format!("{byte:02x}")).collect();
        let modules = &mut self.facts.modules;
        match modules.get(&name) {
            Some(known) if *known == md5 => return,
            Some(_) => {
                self.facts.replaced.insert(name.clone());
            }
            None if modules.len() >= MAX_BUILD_MODULES => {
                self.facts.cut = true;
                return;
            }
            None => {}
        }
        modules.insert(name, md5);
        self.has_news = true;
    }

    /// The facts to report now: at the end all that are new, before only when the whole is worth
    /// another report.
    pub fn news(&mut self, at_end: bool) -> Option<BuildFacts> {
        let known = self.facts.modules.len();
        let is_worth_it = self
            .reported
            .is_none_or(|reported| known > reported + reported / 8);
        if !self.has_news || !(at_end || is_worth_it) {
            return None;
        }
        (self.reported, self.has_news) = (Some(known), false);
        Some(self.facts.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_was_replaced_is_reported_and_little_news_waits_for_the_end() {
        let mut builds = Builds::default();
        builds.set_release(BuildFacts::default());
        (0..20).for_each(|index| builds.add(format!("m{index}"), [1; 16]));
        let news = builds.news(false).unwrap();
        assert_eq!(news.modules.len(), 20);
        assert_eq!(news.modules["m3"], "01".repeat(16));
        assert!(news.replaced.is_empty() && builds.news(true).is_none());
        builds.add("m3".into(), [1; 16]);
        assert!(builds.news(true).is_none(), "the same build");
        builds.add("m3".into(), [2; 16]);
        assert!(builds.news(false).is_none());
        let news = builds.news(true).unwrap();
        assert!(news.replaced.contains("m3") && news.replaced.len() == 1);
    }

    #[test]
    fn more_modules_than_are_kept_are_counted_as_cut() {
        let mut builds = Builds::default();
        (0..=MAX_BUILD_MODULES).for_each(|index| builds.add(format!("m{index}"), [1; 16]));
        let news = builds.news(true).unwrap();
        assert!(news.cut && news.modules.len() == MAX_BUILD_MODULES);
    }
}
