//! Captures: the order of notifications, clients that read slowly, clients that disconnect.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use capture::quality::QualityRecord;
use rpc_server::{CaptureSink, ExitStatus, QueueLimits};
use serde_json::{Value, json};

use crate::backend::FILE;
use crate::client::{Client, PATIENCE, initialize, read_message};

fn start_params() -> Value {
    json!({ "attachmentId": 1, "frequencyHz": 499, "durationSeconds": 0 })
}

fn started(client: &mut Client) {
    let answer = client.call(1, "extrospect/capture/start", start_params());
    let engine = json!({ "name": "readv", "reason": "requested" });
    assert_eq!(
        answer["result"],
        json!({ "captureId": 1, "file": FILE, "engine": engine })
    );
    // The answer is on its way before the stream is open; a second one comes after that.
    client.call(2, "extrospect/list", json!({}));
    client.backend.sink().wait_for_answer(PATIENCE);
}

#[test]
fn increments_and_the_end_are_sent_in_order() {
    let mut client = Client::initialized();
    started(&mut client);
    let sink = client.backend.sink();
    let quality = QualityRecord {
        samples: 5,
        event: "cycles".to_owned(),
        ..Default::default()
    };
    sink.increment(b"foobar".to_vec(), 6, quality);
    sink.increment(b"foo".to_vec(), 9, QualityRecord::default());
    let stopped = client.call(3, "extrospect/capture/stop", json!({ "captureId": 1 }));
    assert_eq!(stopped["result"]["reason"], "stopped");
    let first = client.notification("extrospect/capture/increment");
    assert_eq!(
        (&first["sequence"], &first["gzipBase64"]),
        (&json!(0), &json!("Zm9vYmFy"))
    );
    assert_eq!(
        (&first["fileBytes"], &first["quality"]["samples"]),
        (&json!(6), &json!(5))
    );
    let second = client.notification("extrospect/capture/increment");
    assert_eq!(
        (&second["sequence"], &second["fileBytes"]),
        (&json!(1), &json!(9))
    );
    assert_eq!(
        client.notification("extrospect/capture/ended"),
        stopped["result"]
    );
    let again = client.call(4, "extrospect/capture/stop", json!({ "captureId": 1 }));
    assert_eq!(again["error"]["code"], -32602);
    // A late increment of a capture that is over goes nowhere.
    sink.increment(b"foo".to_vec(), 12, QualityRecord::default());
    let (rest, _) = client.rest();
    assert!(rest.is_empty(), "{rest:?}");
}

#[test]
fn events_before_the_answer_are_sent_after_it() {
    let mut client = Client::initialized();
    *client.backend.early.lock().unwrap() = (3, true);
    client.request(1, "extrospect/capture/start", start_params());
    let order: Vec<Value> = (0..3).map(|_| client.wait_for(|_| true)).collect();
    assert_eq!(order[0]["result"]["captureId"], 1);
    assert_eq!(order[1]["method"], "extrospect/capture/resync");
    let expected = json!({
        "captureId": 1, "file": FILE, "fileBytes": 30, "droppedIncrements": 3, "nextSequence": 3,
    });
    assert_eq!(order[1]["params"], expected);
    assert_eq!(order[2]["method"], "extrospect/capture/ended");
    assert_eq!(order[2]["params"]["reason"], "targetGone");
}

#[test]
fn a_capture_that_did_not_start_sends_nothing() {
    let mut client = Client::initialized();
    let mut params = start_params();
    params["attachmentId"] = json!(2);
    assert_eq!(
        client.call(1, "extrospect/capture/start", params)["error"]["code"],
        -32602
    );
    assert!(client.rest().0.is_empty());
}

#[test]
fn a_client_that_wants_no_increments_hears_of_the_end_only() {
    let mut client = Client::new();
    let mut message = initialize();
    message["params"]["initializationOptions"]["capabilities"] = json!({});
    client.send(&message);
    client.response(&json!("init"));
    started(&mut client);
    client
        .backend
        .sink()
        .increment(vec![0; 10], 10, QualityRecord::default());
    client.call(3, "extrospect/capture/stop", json!({ "captureId": 1 }));
    let (rest, _) = client.rest();
    let methods: Vec<&Value> = rest.iter().map(|message| &message["method"]).collect();
    assert_eq!(methods, ["extrospect/capture/ended"]);
}

#[test]
fn end_of_input_ends_the_captures() {
    let mut client = Client::initialized();
    started(&mut client);
    let backend = client.backend.clone();
    let (rest, status) = client.rest();
    assert_eq!(status, ExitStatus::WithoutShutdown);
    assert_eq!(backend.closes.load(Ordering::SeqCst), 1);
    assert_eq!(rest.last().unwrap()["params"]["reason"], "shutdown");
}

#[test]
fn a_client_that_closes_our_output_ends_the_captures_though_its_input_stays_open() {
    let mut client = Client::unread(QueueLimits::default());
    client.send(&initialize());
    client.request(1, "extrospect/capture/start", start_params());
    let backend = client.backend.clone();
    wait_until("the capture", || {
        !backend.captures.lock().unwrap().is_empty()
    });
    client.close_output();
    wait_until("the end of the captures", || {
        let sink = backend.captures.lock().unwrap().last().cloned();
        if let Some(sink) = sink {
            sink.increment(vec![0; 10], 10, QualityRecord::default());
        }
        backend.closes.load(Ordering::SeqCst) == 1
    });
    assert_eq!(client.exit_status(), ExitStatus::WithoutShutdown);
}

#[test]
fn a_slow_client_never_blocks_the_capture_and_is_notified_of_the_gap() {
    const GZIP_BYTES: usize = 30_000;
    const SENT: u64 = 40;
    let mut client = Client::unread(QueueLimits {
        increment_bytes: 4 * GZIP_BYTES,
    });
    client.send(&initialize());
    client.request(1, "extrospect/capture/start", start_params());
    let backend = client.backend.clone();
    wait_until("the capture", || {
        !backend.captures.lock().unwrap().is_empty()
    });
    let sink = backend.sink();
    sink.wait_for_answer(PATIENCE);
    let send = |sink: &CaptureSink, number: u64| {
        let file_bytes = number * GZIP_BYTES as u64;
        sink.increment(vec![7; GZIP_BYTES], file_bytes, QualityRecord::default());
    };
    let its_sink = sink.clone();
    let sender = std::thread::spawn(move || (1..SENT).for_each(|number| send(&its_sink, number)));
    // The client does not read: a capture that waited for it would wait for ever.
    wait_until("the last event of the capture", || sender.is_finished());
    sender.join().unwrap();
    client.read();
    client.response(&json!(1));
    send(&sink, SENT);
    client.request(2, "extrospect/capture/stop", json!({ "captureId": 1 }));

    let (mut next, mut left_out) = (0, 0);
    loop {
        let message = client.wait_for(|message| message.get("method").is_some());
        let params = &message["params"];
        match message["method"].as_str().unwrap() {
            "extrospect/capture/increment" => {
                assert_eq!(params["sequence"], next, "a gap without a resync");
                next += 1;
                assert_eq!(params["fileBytes"], next * GZIP_BYTES as u64);
            }
            "extrospect/capture/resync" => {
                let dropped = params["droppedIncrements"].as_u64().unwrap();
                next += dropped;
                left_out += dropped;
                assert_eq!(params["nextSequence"], next);
                assert_eq!(params["fileBytes"], next * GZIP_BYTES as u64);
                assert_eq!(params["file"], FILE);
            }
            "extrospect/capture/ended" => break,
            other => panic!("{other}"),
        }
    }
    assert_eq!(next, SENT);
    assert!(
        left_out > 20,
        "only {left_out} were left out: the bound does not bind"
    );
}

#[test]
fn a_client_that_never_reads_cannot_hold_up_the_end() {
    let mut client = Client::unread(QueueLimits::default());
    client.send(&initialize());
    client.request(1, "extrospect/capture/start", start_params());
    let backend = client.backend.clone();
    wait_until("the capture", || {
        !backend.captures.lock().unwrap().is_empty()
    });
    backend.sink().wait_for_answer(PATIENCE);
    for number in 1..=20 {
        let file_bytes = number * 30_000;
        backend
            .sink()
            .increment(vec![0; 30_000], file_bytes, QualityRecord::default());
    }
    client.close_input();
    assert_eq!(client.exit_status(), ExitStatus::WithoutShutdown);
    assert_eq!(backend.closes.load(Ordering::SeqCst), 1);
}

#[test]
fn replies_wait_for_a_client_that_reads_late() {
    const REQUESTS: i32 = 4_000;
    let mut client = Client::unread(QueueLimits::default());
    let mut output = client.take_output();
    client.send(&initialize());
    let sent = Arc::new(AtomicI32::new(0));
    let counted = sent.clone();
    let writer = std::thread::spawn(move || {
        for id in 0..REQUESTS {
            client.request(id, "no/such/method", json!({}));
            counted.store(id + 1, Ordering::SeqCst);
        }
        client
    });
    // The client comes to a stop when the server stops reading; a slow machine may seem to stop
    // earlier, which weakens the test, but does not make it wrong.
    let mut before = 0;
    wait_until("the server to take no more", || {
        std::thread::sleep(Duration::from_millis(300));
        let now = sent.load(Ordering::SeqCst);
        now > 0 && now == std::mem::replace(&mut before, now)
    });
    assert!(
        !writer.is_finished(),
        "the server reads on though its answers pile up"
    );
    let mut answered = std::collections::HashSet::new();
    while answered.len() < REQUESTS as usize {
        let message = read_message(&mut output).unwrap();
        if let Some(id) = message["id"].as_i64() {
            assert!([-32601, 1007].contains(&message["error"]["code"].as_i64().unwrap()));
            assert!(answered.insert(id), "two answers for {id}");
        }
    }
    writer.join().unwrap();
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(2));
    }
}
