//! Errors in one line and on the wire.
#![allow(clippy::unwrap_used)]

use protocol::error::ErrorData;
use protocol::explanation::Explanation;
use protocol::message::{Text, texts};

#[test]
fn it_is_one_line_that_ends_with_what_to_do() {
    let what = texts::MAY_NOT_BE_READ.with(&[("pid", &7), ("detail", &"its\nmemory")]);
    let explanation = Explanation::new(what, texts::TO_TRY_LATER.text());
    assert_eq!(
        explanation.to_string(),
        "process 7 may not be read: its memory; try again shortly"
    );
    let because = explanation.because(Text::plain("of me"));
    assert!(because.to_string().contains("memory; of me; try"));
}

#[test]
fn who_has_no_command_line_hears_of_no_option() {
    let what = texts::FILE_EXISTS.with(&[("path", &"/tmp/a")]);
    let of_terminal = Explanation::new(what, texts::TO_REPLACE_FILE.text());
    assert!(of_terminal.fix.contains("--force"), "{of_terminal}");
    let of_client = of_terminal.clone().without_command_line();
    assert_eq!(of_client.what, of_terminal.what);
    assert_eq!(of_client.fix, "rename or remove the file that is there");
    let plain = Explanation::new(Text::plain("it broke"), Text::plain("run --this"));
    assert_eq!(plain.clone().without_command_line(), plain);
}

#[test]
fn on_the_wire_all_of_it_lies_side_by_side() {
    let what = texts::NO_PROCESS.with(&[("pid", &7)]);
    let explanation = Explanation::new(what, Text::default()).mended_by("sudo true");
    let data = ErrorData {
        explanation,
        exit_code: 3,
    };
    let json = serde_json::to_value(&data).unwrap();
    assert_eq!(json["what"], "there is no process 7");
    assert_eq!(json["messages"]["what"]["code"], "noProcess");
    assert_eq!(json["command"], "sudo true");
    assert_eq!(json["exitCode"], 3);
    assert_eq!(serde_json::from_value::<ErrorData>(json).unwrap(), data);
    let bare = serde_json::to_value(Explanation::default()).unwrap();
    assert_eq!(bare.as_object().map(serde_json::Map::len), Some(3));
}
