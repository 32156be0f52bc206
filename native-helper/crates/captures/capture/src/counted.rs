//! Numbers of things in English texts.

/// `1 sample`, `2 samples`; of `process` `2 processes`. The noun is a regular one.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = match count {
        1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_of_them_is_singular() {
        let samples = [0, 1, 2].map(|count| counted(count, "sample"));
        assert_eq!(samples, ["0 samples", "1 sample", "2 samples"]);
        let processes = [1, 2].map(|count| counted(count, "process"));
        assert_eq!(processes, ["1 process", "2 processes"]);
    }
}
