//! Reading JSON whose structs are objects, with members by their names.
//!
//! `serde_json` takes an array for a struct, too: its values in the order of the fields. No
//! message, capture or file has that, and the code for it is as large as the code for objects, of
//! each struct. Here a struct is requested as a map, so the compiler leaves that code out.

mod access;

use std::fmt;

use serde::de::{DeserializeOwned, Deserializer, Visitor};

use access::Within;

/// Reads a JSON text.
///
/// # Errors
/// The text is no JSON, or does not fit the type.
pub fn from_slice<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let read = T::deserialize(NamedMembers(&mut reader))?;
    reader.end()?;
    Ok(read)
}

/// Reads as the one inside does, but a struct only from an object.
pub struct NamedMembers<D>(pub D);

macro_rules! forward {
    ($($method:ident($($name:ident: $of:ty),*))*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, $($name: $of,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($name,)* Within(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for NamedMembers<D> {
    type Error = D::Error;

    forward! {
        deserialize_any() deserialize_bool() deserialize_char() deserialize_str()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_string() deserialize_bytes()
        deserialize_byte_buf() deserialize_option() deserialize_unit() deserialize_seq()
        deserialize_map() deserialize_identifier() deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Within(visitor))
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

impl<D> fmt::Debug for NamedMembers<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("NamedMembers")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::{NamedMembers, from_slice};

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        number: u64,
        text: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Kind {
        Plain,
        One(Inner),
        Two(i32, bool),
        Named { inner: Inner },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Newtype(f64);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        kinds: Vec<Kind>,
        by_name: BTreeMap<String, Inner>,
        by_number: BTreeMap<u32, (char, Newtype)>,
        any: Value,
        nothing: (),
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    fn outer() -> Value {
        json!({
            "kinds": [
                "Plain",
                { "One": { "number": 1, "text": "a\"b" } },
                { "Two": [-2, true] },
                { "Named": { "inner": { "number": u64::MAX } } },
            ],
            "by_name": { "x": { "number": 3, "text": null, "other": [{}] } },
            "by_number": { "7": ["c", 0.5] },
            "any": { "list": [1, -1, 1.5, "t", null, true], "inner": {} },
            "nothing": null,
            "more": [1],
        })
    }

    #[test]
    fn reads_what_serde_json_reads() {
        let text = outer().to_string();
        let expected: Outer = serde_json::from_str(&text).unwrap();
        assert_eq!(from_slice::<Outer>(text.as_bytes()).unwrap(), expected);
        assert_eq!(from_slice::<Value>(text.as_bytes()).unwrap(), outer());
        let of_value = <Outer as Deserialize>::deserialize(NamedMembers(outer()));
        assert_eq!(of_value.unwrap(), expected);
    }

    #[test]
    fn errors_are_those_of_serde_json() {
        for text in [
            "",
            "{",
            "1",
            "\"text\"",
            "null",
            "{\"number\":-1}",
            "{\"number\":1,\"number\":2}",
            "{\"text\":\"a\"}",
            "{\"number\":1,\"text\":2}",
            "{\"number\":1} 2",
        ] {
            let expected = serde_json::from_str::<Inner>(text).unwrap_err().to_string();
            let error = from_slice::<Inner>(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn an_array_is_no_struct() {
        let error = from_slice::<Inner>(b"[1,\"a\"]").unwrap_err().to_string();
        assert!(error.contains("invalid type: sequence, expected struct Inner"));
        let value = json!([1, "a"]);
        assert!(<Inner as Deserialize>::deserialize(NamedMembers(value)).is_err());
        assert!(from_slice::<Vec<Inner>>(b"[{\"number\":1},[2]]").is_err());
    }
}
