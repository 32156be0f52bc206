//! Names of users and groups, by the machine's own lists: the helper is static and queries no name service.

use std::io::Read;

const MAX_LIST_BYTES: u64 = 16 << 20;

/// `/etc/passwd` or `/etc/group`: a name first, its number third.
#[derive(Debug, Default)]
pub struct AccountList(Vec<u8>);

impl AccountList {
    /// The users of this machine.
    pub fn users() -> Self {
        Self::read("/etc/passwd")
    }

    /// Its groups.
    pub fn groups() -> Self {
        Self::read("/etc/group")
    }

    fn read(path: &str) -> Self {
        let mut bytes = Vec::new();
        let read = std::fs::File::open(path)
            .and_then(|file| file.take(MAX_LIST_BYTES).read_to_end(&mut bytes));
        match read {
            Ok(_) => Self(bytes),
            // Numbers are known without a list.
            Err(_) => Self::default(),
        }
    }

    /// The id of a name, or of a number in text.
    pub fn id(&self, name: &str) -> Option<u32> {
        if let Ok(id) = name.parse() {
            return Some(id);
        }
        self.entries()
            .find(|(listed, _)| *listed == name.as_bytes())
            .map(|(_, id)| id)
    }

    /// What a number is called; the number where it has no name.
    pub fn name(&self, id: u32) -> String {
        let listed = self.entries().find(|(_, listed)| *listed == id);
        listed.map_or_else(
            || id.to_string(),
            |(name, _)| String::from_utf8_lossy(name).into_owned(),
        )
    }

    fn entries(&self) -> impl Iterator<Item = (&[u8], u32)> {
        self.0.split(|byte| *byte == b'\n').filter_map(|line| {
            let mut fields = line.split(|byte| *byte == b':');
            let (name, _, id) = (fields.next()?, fields.next()?, fields.next()?);
            Some((name, std::str::from_utf8(id).ok()?.parse().ok()?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_found_and_lines_that_are_none_are_passed_over() {
        let list = AccountList(b"root:x:0:0\nbroken\nme:x:1000:7::\nodd:x:minus:\n".to_vec());
        assert_eq!(list.id("me"), Some(1000));
        assert_eq!(list.id("4711"), Some(4711));
        assert_eq!((list.id("odd"), list.id("you")), (None, None));
        assert_eq!((list.name(0), list.name(5)), ("root".into(), "5".into()));
    }
}
