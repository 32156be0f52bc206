//! Counters that are real: programs that run, and pages that a server on this machine hands out.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

use outside_programs::WebAddress;
use work_counter::{CountError, Counter, Counting, Metric, Source, split};

fn by_command(text: &str) -> Counter {
    Counter::new(None, Source::Command(split(text).unwrap()))
}

fn read(counter: &Counter) -> Result<f64, CountError> {
    counter.read(&|| false)
}

fn error_of(counter: &Counter) -> String {
    read(counter).unwrap_err().to_string()
}

/// A server that gives each client the next of some answers, the last one again and again.
fn serve(answers: Vec<String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                request.extend_from_slice(&byte);
            }
            let answer = &answers[number.min(answers.len() - 1)];
            // A client may hang up before the end of an endless page.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

fn page(text: &str) -> String {
    let length = text.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}")
}

fn by_metric(metric: &str, address: &str) -> Counter {
    let source = Source::Metric {
        metric: Metric::parse(metric).unwrap(),
        page: WebAddress::parse(address).unwrap(),
    };
    Counter::new(Some(" orders "), source)
}

struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("work-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_command_counts_by_one_number() {
    assert_eq!(read(&by_command("/bin/echo 12300")).unwrap(), 12_300.0);
    assert_eq!(read(&by_command("printf 1.5")).unwrap(), 1.5);
    assert_eq!(by_command("/bin/echo 1").name(), "echo");
    let named = Counter::new(Some("orders"), Source::Command(vec!["true".into()]));
    assert_eq!(named.name(), "orders");
}

#[test]
fn a_command_has_no_shell_and_none_of_our_rights() {
    // Printed as they stand, which makes them no number.
    let message = error_of(&by_command("echo '$(id -u)' ; echo 5"));
    assert_eq!(message, "echo printed no single number: $(id -u) ; echo 5");
    let awk = "awk '/^NoNewPrivs:/ { rights = $2 } /^CapAmb:/ { if ($2 != \"0000000000000000\") rights = 0 } END { print rights }' /proc/self/status";
    assert_eq!(read(&by_command(awk)).unwrap(), 1.0);
}

#[test]
fn a_command_that_does_not_count_is_refused_with_the_reason() {
    let message = error_of(&by_command("sh -c 'echo no database >&2; exit 3'"));
    assert_eq!(message, "sh ended with exit status: 3: no database");
    let message = error_of(&by_command("/nowhere/count 1"));
    assert!(
        message.starts_with("count: it cannot be started"),
        "{message}"
    );
    assert_eq!(
        error_of(&by_command("true")),
        "true printed no single number"
    );
    let message = error_of(&by_command("yes"));
    assert!(message.starts_with("yes: it prints more than"), "{message}");
    let long = error_of(&by_command("head -c 5000 /dev/zero"));
    assert!(long.len() < 1000, "{}", long.len());
    let hangs = by_command("sleep 1000").read(&|| true).unwrap_err();
    assert!(matches!(hangs, CountError::Cancelled), "{hangs}");
}

#[test]
fn a_metric_is_read_from_a_page() {
    let address = serve(vec![page("a_total{q=\"1\"} 3\na_total{q=\"2\"} 4\n")]);
    let url = format!("http://{address}/metrics?family=a");
    assert_eq!(read(&by_metric("a_total", &url)).unwrap(), 7.0);
    assert_eq!(read(&by_metric("a_total{q=\"2\"}", &url)).unwrap(), 4.0);
    let message = error_of(&by_metric("a_totals", &url));
    assert!(
        message.ends_with("the page has no metric a_totals; it has a_total"),
        "{message}"
    );
    assert_eq!(by_metric("a_total", &url).name(), "orders");
}

#[test]
fn the_error_of_a_server_without_a_page_states_why() {
    let gone = serve(vec![
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
    ]);
    let message = error_of(&by_metric("a", &format!("http://{gone}/x")));
    assert!(message.ends_with("there is no such page"), "{message}");
    let broken = serve(vec!["HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n".into()]);
    let message = error_of(&by_metric("a", &format!("http://{broken}/x")));
    assert!(message.contains("500"), "{message}");
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let error = read(&by_metric("a", &format!("http://{nobody}/x"))).unwrap_err();
    assert!(matches!(error, CountError::NoPage { .. }), "{error}");
    // Another protocol after a redirect is not followed.
    let away = "HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n";
    let away = serve(vec![away.into()]);
    assert!(read(&by_metric("root", &format!("http://{away}/x"))).is_err());
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "a 1\n".repeat(9 << 20));
    let endless = serve(vec![endless]);
    let message = error_of(&by_metric("a", &format!("http://{endless}/x")));
    assert!(message.contains("more than"), "{message}");
}

#[test]
fn counting_keeps_both_readings_and_a_last_one_that_fails_loses_nothing() {
    let file = TempFile::new("grows", "100");
    let counter = by_command(&format!("cat {}", file.0.display()));
    let counting = Counting::begin(counter.clone(), &|| false).unwrap();
    let facts = counting.facts();
    assert_eq!((facts.at_start, facts.at_end), (100.0, None));
    assert!(facts.start_unix_ms > 1_700_000_000_000);
    std::fs::write(&file.0, "350.5").unwrap();
    let facts = counting.end(&|| false);
    assert_eq!((facts.at_start, facts.at_end), (100.0, Some(350.5)));
    assert!(facts.end_unix_ms >= facts.start_unix_ms);
    assert_eq!(facts.name, "cat");

    let counting = Counting::begin(counter.clone(), &|| false).unwrap();
    std::fs::write(&file.0, "gone").unwrap();
    let facts = counting.end(&|| false);
    assert_eq!((facts.at_end, facts.end_unix_ms), (None, 0));
    assert_eq!(facts.problem, "cat printed no single number: gone");
    assert!(Counting::begin(counter, &|| false).is_err());
}
