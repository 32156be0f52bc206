//! Conditions of a comparison, judged as `extrospect diff --fail-if` judges them.

use compare::answer::Comparison;
use compare::{Condition, Gate, Measure};
use serde::Serialize;

/// A condition, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts-rs", derive(ts_rs::TS))]
pub struct JudgedCondition {
    /// As it was given.
    pub condition: String,
    /// Its answer; absent where it cannot be read, or where no such captures have a figure for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts-rs", ts(optional))]
    pub gate: Option<Gate>,
    /// The answer as `extrospect diff` prints it, or why there is none; in English.
    pub text: String,
}

/// All of them, in their order.
pub(crate) fn judged(
    conditions: &[String],
    comparison: &Comparison,
    chosen: Option<Measure>,
) -> Vec<JudgedCondition> {
    let each = conditions.iter().map(|condition| {
        let gate = match condition.parse::<Condition>() {
            Ok(read) => {
                let judged = read.judge(comparison, chosen);
                judged.map_err(|unfit| unfit.to_string())
            }
            Err(unreadable) => Err(unreadable.to_string()),
        };
        let (gate, text) = match gate {
            Ok(gate) => {
                let text = gate.text();
                (Some(gate), text)
            }
            Err(why) => (None, why),
        };
        JudgedCondition {
            condition: condition.clone(),
            gate,
            text,
        }
    });
    each.collect()
}
