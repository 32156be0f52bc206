//! Any JSON, and values that mostly fit the member.

use arbitrary::{Arbitrary, Unstructured};
use serde_json::{Map, Number, Value};

/// Texts that have been trouble somewhere.
const TROUBLE: [&str; 12] = [
    "",
    "/",
    "../../etc/shadow",
    "/proc/1/mem",
    "a\0b",
    "\u{202e}gpj.exe",
    "\x1b]0;title\x07\x1b[2J",
    "[link](command:workbench.action.terminal.new)",
    "<img src=x onerror=alert(1)>",
    "'; rm -rf / #",
    "http://user:secret@host/",
    "\u{feff}\u{ffff}\u{1f980}",
];
const MAX_DEPTH: u32 = 4;

/// A text.
#[derive(Debug, Clone)]
pub struct Text(pub String);

impl<'a> Arbitrary<'a> for Text {
    fn arbitrary(input: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let text = match input.arbitrary::<bool>()? {
            true => (*input.choose(&TROUBLE)?).to_owned(),
            false => input.arbitrary::<String>()?,
        };
        Ok(Self(text))
    }
}

/// Any JSON.
#[derive(Debug, Clone)]
pub struct Json(pub Value);

impl<'a> Arbitrary<'a> for Json {
    fn arbitrary(input: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Self(json(input, 0)?))
    }
}

fn json(input: &mut Unstructured<'_>, depth: u32) -> arbitrary::Result<Value> {
    let most = if depth < MAX_DEPTH { 7 } else { 5 };
    Ok(match input.int_in_range(0..=most)? {
        0 => Value::Null,
        1 => Value::Bool(input.arbitrary()?),
        2 => Value::from(input.arbitrary::<i64>()?),
        3 => Value::from(input.arbitrary::<u64>()?),
        4 => Number::from_f64(input.arbitrary()?).map_or(Value::Null, Value::Number),
        5 => Value::String(input.arbitrary::<Text>()?.0),
        6 => {
            let length = input.int_in_range(0..=4)?;
            let values: arbitrary::Result<Vec<Value>> =
                (0..length).map(|_| json(input, depth + 1)).collect();
            Value::Array(values?)
        }
        _ => {
            let mut members = Map::new();
            for _ in 0..input.int_in_range(0..=4)? {
                members.insert(input.arbitrary::<Text>()?.0, json(input, depth + 1)?);
            }
            Value::Object(members)
        }
    })
}

/// A member of parameters.
#[derive(Debug, Clone, Arbitrary)]
pub enum Member<T> {
    /// A value that it takes.
    Fit(T),
    /// Not there.
    Absent,
    /// Anything.
    Odd(Json),
}

impl<T: Into<Value> + Clone> Member<T> {
    /// Puts it among the others.
    pub fn put(&self, members: &mut Map<String, Value>, name: &str) {
        let value = match self {
            Self::Fit(value) => value.clone().into(),
            Self::Absent => return,
            Self::Odd(json) => json.0.clone(),
        };
        members.insert(name.to_owned(), value);
    }
}

impl From<Text> for Value {
    fn from(text: Text) -> Self {
        Self::String(text.0)
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        json.0
    }
}
