//! The project that a `mix.exs` describes.

use crate::elixir_tokens;
use crate::token::{Kind, Reader};

/// `shop` of `app: :shop`; `None` where the text names none, as that of an umbrella.
pub fn mix_application(text: &str) -> Option<&str> {
    let mut reader = Reader::new(text);
    let mut is_value = false;
    while let Some(Ok(token)) = elixir_tokens::next(&mut reader) {
        if is_value
            && token.kind == Kind::Value
            && let Some(name) = token.text.strip_prefix(':')
        {
            return Some(name.trim_matches(['"', '\'']));
        }
        is_value = token.is_word("app:");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_project_has_the_name_of_its_application() {
        for (text, name) in [
            (
                "def project do\n  [app: :shop, version: \"1\"]\n",
                Some("shop"),
            ),
            ("[\n  app:\n    :shop,\n", Some("shop")),
            ("[app: :\"odd-name\"]\n", Some("odd-name")),
            (
                "# app: :no\n@doc \"app: :no\"\n@x \"\n[app: :no]\n\"\n[app: :shop]\n",
                Some("shop"),
            ),
            (
                "[{:jason, \"~> 1.4\", app: false}, app: :shop]\n",
                Some("shop"),
            ),
            ("[apps_path: \"apps\", in_app: :no]\n", None),
            ("[app: @app]\n", None),
            ("[app:", None),
            ("x = \"open\n[app: :no]\n", None),
        ] {
            assert_eq!(mix_application(text), name, "{text}");
        }
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text: String) {
            let _ = mix_application(&text);
        }
    }
}
