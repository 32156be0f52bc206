//! The messages that a client may send.

use arbitrary::Arbitrary;
use serde_json::{Map, Value, json};

use super::json::{Json, Member, Text};

const MAX_MESSAGES: usize = 48;

/// Messages in their order. Most begin as a client should.
#[derive(Debug, Arbitrary)]
pub struct Conversation {
    begins_well: bool,
    messages: Vec<Message>,
}

#[derive(Debug, Arbitrary)]
enum Message {
    Request {
        id: Id,
        call: Call,
    },
    Notification(Note),
    /// An answer that no request waits for.
    Answer {
        id: Id,
        result: Json,
    },
}

/// Few numbers, so that some come twice.
#[derive(Debug, Clone, Arbitrary)]
enum Id {
    Small(u8),
    Any(i32),
    Text(Text),
}

/// A request with its parameters.
#[derive(Debug, Arbitrary)]
enum Call {
    Initialize {
        version: Member<Version>,
        increments: Member<bool>,
        trace: Member<Trace>,
        client: Member<Text>,
    },
    Shutdown,
    List(Json),
    Doctor(Member<Pid>),
    Attach(Member<Pid>),
    Detach(Member<Handle>),
    FetchDebugFiles {
        pid: Member<Pid>,
        always: Member<bool>,
        servers: Vec<Text>,
    },
    Start(Box<Start>),
    Stop(Member<Handle>),
    Pstack {
        pid: Member<Pid>,
        all: Member<bool>,
    },
    Nodes(Member<Pid>),
    Read {
        capture: Member<Handle>,
        from: Member<u64>,
        max_bytes: Member<u32>,
    },
    Remove(Member<Handle>),
    InsideOpen(Member<Pid>),
    InsideProcesses {
        inside: Member<Handle>,
        look: Member<bool>,
        query: Member<Query>,
        first: Member<u64>,
        limit: Member<u32>,
    },
    InsideHeap {
        inside: Member<Handle>,
        process: Member<Text>,
    },
    InsideNode {
        inside: Member<Handle>,
        look_ms: Member<u32>,
    },
    InsideMemory(Member<Handle>),
    InsideBinaries {
        inside: Member<Handle>,
        rows: Member<u32>,
        look_into: Member<u32>,
    },
    InsideWaitsLook(Member<Handle>),
    InsideWaitsFinish(Member<Handle>),
    InsideClose(Member<Handle>),
    FlightCheck(Member<Text>),
    FlightStart(Box<Flight>),
    FlightStop(Member<Handle>),
    Unknown {
        method: Text,
        params: Json,
    },
}

#[derive(Debug, Arbitrary)]
struct Start {
    attachment: Member<Handle>,
    frequency_hz: Member<Frequency>,
    seconds: Member<Seconds>,
    include_kernel: Member<bool>,
    engine: Member<Engine>,
    file: Member<Text>,
    origin: Member<Json>,
    work: Member<Work>,
    token: Member<Json>,
}

#[derive(Debug, Arbitrary)]
struct Flight {
    attachment: Member<Handle>,
    condition: Member<Text>,
    before: Member<Seconds>,
    after: Member<Seconds>,
    files: Member<u32>,
    seconds: Member<Seconds>,
    frequency_hz: Member<Frequency>,
    file: Member<Text>,
    origin: Member<Json>,
}

#[derive(Debug, Clone, Arbitrary)]
struct Query {
    sort: Member<Sort>,
    descending: Member<bool>,
    filter: Member<Text>,
    grouping: Member<Grouping>,
    open: Member<Json>,
    alarms: Member<Json>,
    only_alarming: Member<bool>,
}

#[derive(Debug, Arbitrary)]
enum Note {
    Initialized,
    Exit,
    Cancel(Id),
    SetTrace(Member<Trace>),
    Unknown { method: Text, params: Json },
}

/// Values that the other side knows, and in most cases any other of that type.
macro_rules! values {
    ($($name:ident $([$any:ty])? = $($kind:ident $value:expr),+;)+) => {
        $(
            #[derive(Debug, Clone, Copy, Arbitrary)]
            enum $name {
                $($kind,)+
                $(Any($any),)?
            }

            impl From<$name> for Value {
                fn from(value: $name) -> Value {
                    match value {
                        $($name::$kind => Value::from($value),)+
                        $($name::Any(value) => <Value as From<$any>>::from(value),)?
                    }
                }
            }
        )+
    };
}

values! {
    Version[u32] = Current 1;
    Pid[u32] = One 1, Known 4711;
    Handle[u32] = First 1, Second 2;
    Frequency[u32] = Usual 499, Most 10_000;
    Seconds[f64] = UntilStopped 0, Short 0.5, Long 1.5, Negative -1;
    Trace = Off "off", Messages "messages", Verbose "verbose";
    Sort = Pid "pid", Memory "memory", Reductions "reductions", None "";
    Grouping = None "none", Tree "tree", Name "name", Unknown "x";
    Engine = Auto "auto", Bpf "bpf", Readv "readv";
}

#[derive(Debug, Clone, Arbitrary)]
enum Work {
    Command(Vec<Text>),
    Metric { metric: Text, url: Text },
}

impl From<Work> for Value {
    fn from(work: Work) -> Self {
        let source = match work {
            Work::Command(words) => {
                let words: Vec<Value> = words.into_iter().map(Value::from).collect();
                json!({ "type": "command", "command": words })
            }
            Work::Metric { metric, url } => {
                json!({ "type": "metric", "metric": metric.0, "url": url.0 })
            }
        };
        json!({ "source": source })
    }
}

impl From<Id> for Value {
    fn from(id: Id) -> Self {
        match id {
            Id::Small(number) => json!(number % 8),
            Id::Any(number) => json!(number),
            Id::Text(text) => json!(text.0),
        }
    }
}

impl Conversation {
    /// As they go over the wire.
    pub fn messages(&self) -> Vec<Value> {
        let mut messages = Vec::new();
        if self.begins_well {
            let options = json!({ "protocolVersion": 1, "capabilities": { "increments": true } });
            let params = json!({ "initializationOptions": options });
            messages.push(request(json!("first"), "initialize", params));
        }
        let rest = self.messages.iter().take(MAX_MESSAGES);
        messages.extend(rest.map(Message::value));
        messages
    }
}

fn request(id: Value, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

impl Message {
    fn value(&self) -> Value {
        match self {
            Self::Request { id, call } => {
                let (method, params) = call.parts();
                request(id.clone().into(), &method, params)
            }
            Self::Notification(note) => {
                let (method, params) = note.parts();
                json!({ "jsonrpc": "2.0", "method": method, "params": params })
            }
            Self::Answer { id, result } => {
                json!({ "jsonrpc": "2.0", "id": Value::from(id.clone()), "result": result.0 })
            }
        }
    }
}

/// Parameters by name.
fn object(put: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut members = Map::new();
    put(&mut members);
    Value::Object(members)
}

impl Call {
    fn parts(&self) -> (String, Value) {
        let (method, params) = match self {
            Self::Initialize {
                version,
                increments,
                trace,
                client,
            } => {
                let params = object(|all| {
                    let capabilities = object(|all| increments.put(all, "increments"));
                    let options = object(|all| {
                        version.put(all, "protocolVersion");
                        all.insert("capabilities".to_owned(), capabilities);
                    });
                    all.insert("initializationOptions".to_owned(), options);
                    all.insert(
                        "clientInfo".to_owned(),
                        object(|all| client.put(all, "name")),
                    );
                    trace.put(all, "trace");
                });
                ("initialize", params)
            }
            Self::Shutdown => ("shutdown", json!({})),
            Self::List(params) => ("extrospect/list", params.0.clone()),
            Self::Doctor(pid) => ("extrospect/doctor", object(|all| pid.put(all, "pid"))),
            Self::Attach(pid) => ("extrospect/attach", object(|all| pid.put(all, "pid"))),
            Self::Detach(id) => {
                let params = object(|all| id.put(all, "attachmentId"));
                ("extrospect/detach", params)
            }
            Self::FetchDebugFiles {
                pid,
                always,
                servers,
            } => {
                let params = object(|all| {
                    pid.put(all, "pid");
                    let wish = matches!(always, Member::Fit(true));
                    let wish = if wish { "always" } else { "environment" };
                    all.insert("wish".to_owned(), json!(wish));
                    let servers: Vec<&str> = servers.iter().map(|text| text.0.as_str()).collect();
                    all.insert("servers".to_owned(), json!(servers));
                });
                ("extrospect/debugFiles/fetch", params)
            }
            Self::Start(start) => ("extrospect/capture/start", start.params()),
            Self::Stop(id) => {
                let params = object(|all| id.put(all, "captureId"));
                ("extrospect/capture/stop", params)
            }
            Self::Read {
                capture,
                from,
                max_bytes,
            } => {
                let params = object(|all| {
                    capture.put(all, "captureId");
                    from.put(all, "from");
                    max_bytes.put(all, "maxBytes");
                });
                ("extrospect/capture/read", params)
            }
            Self::Remove(id) => {
                let params = object(|all| id.put(all, "captureId"));
                ("extrospect/capture/remove", params)
            }
            Self::Pstack { pid, all: whole } => {
                let params = object(|all| {
                    pid.put(all, "pid");
                    whole.put(all, "all");
                });
                ("extrospect/pstack", params)
            }
            Self::Nodes(pid) => {
                let params = object(|all| pid.put(all, "pid"));
                ("extrospect/nodes", params)
            }
            Self::InsideOpen(pid) => {
                let params = object(|all| pid.put(all, "pid"));
                ("extrospect/inside/open", params)
            }
            Self::InsideProcesses {
                inside,
                look,
                query,
                first,
                limit,
            } => {
                let params = object(|all| {
                    inside.put(all, "insideId");
                    look.put(all, "look");
                    query.put(all, "query");
                    first.put(all, "first");
                    limit.put(all, "limit");
                });
                ("extrospect/inside/processes", params)
            }
            Self::InsideHeap { inside, process } => {
                let params = object(|all| {
                    inside.put(all, "insideId");
                    process.put(all, "process");
                });
                ("extrospect/inside/heap", params)
            }
            Self::InsideNode { inside, look_ms } => {
                let params = object(|all| {
                    inside.put(all, "insideId");
                    look_ms.put(all, "lookMs");
                });
                ("extrospect/inside/node", params)
            }
            Self::InsideMemory(id) => {
                let params = object(|all| id.put(all, "insideId"));
                ("extrospect/inside/memory", params)
            }
            Self::InsideBinaries {
                inside,
                rows,
                look_into,
            } => {
                let params = object(|all| {
                    inside.put(all, "insideId");
                    let wanted = object(|all| {
                        rows.put(all, "rows");
                        look_into.put(all, "lookInto");
                    });
                    all.insert("wanted".to_owned(), wanted);
                });
                ("extrospect/inside/binaries", params)
            }
            Self::InsideWaitsLook(id) => {
                let params = object(|all| id.put(all, "insideId"));
                ("extrospect/inside/waits/look", params)
            }
            Self::InsideWaitsFinish(id) => {
                let params = object(|all| id.put(all, "insideId"));
                ("extrospect/inside/waits/finish", params)
            }
            Self::InsideClose(id) => {
                let params = object(|all| id.put(all, "insideId"));
                ("extrospect/inside/close", params)
            }
            Self::FlightCheck(text) => {
                let params = object(|all| text.put(all, "condition"));
                ("extrospect/flight/check", params)
            }
            Self::FlightStart(flight) => ("extrospect/flight/start", flight.params()),
            Self::FlightStop(id) => {
                let params = object(|all| id.put(all, "flightId"));
                ("extrospect/flight/stop", params)
            }
            Self::Unknown { method, params } => (method.0.as_str(), params.0.clone()),
        };
        (method.to_owned(), params)
    }
}

impl From<Query> for Value {
    fn from(query: Query) -> Self {
        object(|all| {
            query.sort.put(all, "sort");
            query.descending.put(all, "descending");
            query.filter.put(all, "filter");
            query.grouping.put(all, "grouping");
            query.open.put(all, "open");
            query.alarms.put(all, "alarms");
            query.only_alarming.put(all, "onlyAlarming");
        })
    }
}

impl Start {
    fn params(&self) -> Value {
        object(|all| {
            self.attachment.put(all, "attachmentId");
            self.frequency_hz.put(all, "frequencyHz");
            self.seconds.put(all, "durationSeconds");
            self.include_kernel.put(all, "includeKernel");
            self.engine.put(all, "engine");
            self.file.put(all, "file");
            self.origin.put(all, "origin");
            self.work.put(all, "work");
            self.token.put(all, "workDoneToken");
        })
    }
}

impl Flight {
    fn params(&self) -> Value {
        object(|all| {
            self.attachment.put(all, "attachmentId");
            self.condition.put(all, "condition");
            self.before.put(all, "beforeSeconds");
            self.after.put(all, "afterSeconds");
            self.files.put(all, "maxFiles");
            self.seconds.put(all, "durationSeconds");
            self.frequency_hz.put(all, "frequencyHz");
            self.file.put(all, "file");
            self.origin.put(all, "origin");
        })
    }
}

impl Note {
    fn parts(&self) -> (String, Value) {
        let (method, params) = match self {
            Self::Initialized => ("initialized", json!({})),
            Self::Exit => ("exit", json!({})),
            Self::Cancel(id) => ("$/cancelRequest", json!({ "id": Value::from(id.clone()) })),
            Self::SetTrace(value) => ("$/setTrace", object(|all| value.put(all, "value"))),
            Self::Unknown { method, params } => (method.0.as_str(), params.0.clone()),
        };
        (method.to_owned(), params)
    }
}
