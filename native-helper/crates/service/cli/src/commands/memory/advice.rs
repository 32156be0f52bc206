//! What the numbers suggest, in words.

use protocol::memory::{MemoryAdvice, MemoryAdviceCode};

use crate::table::megabytes;

pub(super) fn advice(advice: &MemoryAdvice) -> Vec<String> {
    let MemoryAdviceCode::Fragmented = advice.code;
    let (name, flag) = (&advice.allocator, &advice.flag);
    let (lost, blocks) = (megabytes(advice.lost_bytes), megabytes(advice.blocks_bytes));
    vec![
        String::new(),
        format!(
            "{name} is fragmented: {lost} MB of its carriers are in memory but in no block, {blocks} MB are in blocks."
        ),
        format!(
            "If this persists: erl {flag} limits its carriers to 512 KB (5 MB by default), so that more of them"
        ),
        "become empty and are returned. The cost: more system calls, and less memory to share."
            .to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_memory_is_reported_with_the_flag() {
        let text = advice(&MemoryAdvice {
            code: MemoryAdviceCode::Fragmented,
            allocator: "binary_alloc".to_owned(),
            lost_bytes: 280 << 20,
            blocks_bytes: 20 << 20,
            flag: "+MBlmbcs 512".to_owned(),
        });
        let text = text.join("\n");
        assert!(
            text.contains("binary_alloc is fragmented: 293.60 MB"),
            "{text}"
        );
        assert!(text.contains("erl +MBlmbcs 512 limits"), "{text}");
    }
}
