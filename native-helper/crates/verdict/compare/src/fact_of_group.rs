//! What each capture of a group contains about one thing: that it was so, that it was not, or neither.

/// The captures of a side, or of commits of a history.
pub struct FactOfGroup<'a> {
    pub name: &'a str,
    /// The name of each capture, and whether it was so; `None` where the capture does not contain that.
    pub each: Vec<(&'a str, Option<bool>)>,
}

impl<'a> FactOfGroup<'a> {
    /// What all captures have in common. `None` where one does not contain it, and where they differ.
    pub fn of_all(&self) -> Option<bool> {
        let (_, first) = self.each.first()?;
        first.filter(|_| self.are_all(*first))
    }

    /// The name of the first capture of which that is known, or nothing is (`None`).
    pub fn first(&self, fact: Option<bool>) -> Option<&'a str> {
        let found = self.each.iter().find(|(_, of)| *of == fact);
        found.map(|(name, _)| *name)
    }

    pub fn are_all(&self, fact: Option<bool>) -> bool {
        self.each.iter().all(|(_, of)| *of == fact)
    }
}
