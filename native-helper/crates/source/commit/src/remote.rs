//! Addresses of remotes.

/// Longer ones are no addresses.
const MAX_BYTES: usize = 1024;

/// The address of a remote without user name, password, token and query; empty when nothing remains
/// without them.
#[must_use]
pub fn without_credentials(address: &str) -> String {
    let address = address.trim();
    let is_odd = address.len() > MAX_BYTES || address.chars().any(char::is_control);
    // `ext::sh -c …` and its like name programs.
    let names_program = address.split_once("::").is_some_and(|(helper, _)| {
        helper
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-')
    });
    if is_odd || names_program {
        return String::new();
    }
    if let Some((scheme, rest)) = address.split_once("://") {
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let rest = &rest[..end];
        // A password may hold a slash that is not written as %2F: the last `@` of all counts.
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        return format!("{scheme}://{host}");
    }
    // `git@host:path`; a path may hold an `@`, but not before a colon.
    match address.split_once(':') {
        Some((host, path)) if !host.contains('/') => {
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            match path.rsplit_once('@') {
                // `user:password@host:path` is none of git's forms, but a user's mistake.
                Some((_, after)) if after.contains(':') => after.to_owned(),
                _ => format!("{host}:{path}"),
            }
        }
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_credentials_of_a_remote_are_kept() {
        for (given, shown) in [
            ("https://user:token@host/shop.git", "https://host/shop.git"),
            (
                "https://token@host:8443/shop.git",
                "https://host:8443/shop.git",
            ),
            (
                "https://user:to/k@en@host/shop.git",
                "https://host/shop.git",
            ),
            (
                "https://host/shop.git?private_token=X#Y",
                "https://host/shop.git",
            ),
            ("ssh://git@host:22/shop.git", "ssh://host:22/shop.git"),
            ("git@host:group/shop.git", "host:group/shop.git"),
            ("user:X@host:shop.git", "host:shop.git"),
            ("/srv/git/a@b/shop.git\n", "/srv/git/a@b/shop.git"),
            ("../shop", "../shop"),
            ("ext::sh -c X", ""),
            ("https://host/\u{1b}[31m", ""),
            ("", ""),
        ] {
            assert_eq!(without_credentials(given), shown, "{given}");
        }
        assert_eq!(without_credentials(&"x".repeat(5000)), "");
    }
}
