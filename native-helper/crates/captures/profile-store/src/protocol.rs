//! How a profile is sent to a store: by Pyroscope's own way of taking pprof, or as OpenTelemetry's
//! profiles by HTTP.

use std::fmt::Write;

use capture::export::otlp::otlp_of_file;
use capture::otlp::{ExportResponse, keys};
use capture::reader::ReadError;
use capture::writer::file_of;
use prost::Message;

use crate::address::StoreAddress;
use crate::profile::{About, Outgoing};

const NS_PER_S: u64 = 1_000_000_000;
const MAX_COMPLAINT_CHARS: usize = 300;

/// How a profile is sent to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// pprof, as Pyroscope takes it: `POST /ingest`.
    Pyroscope,
    /// OTLP by HTTP, as collectors of OpenTelemetry take it: `POST /v1development/profiles`.
    Otlp,
}

/// A request to the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) url: String,
    /// Whole lines of HTTP.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
}

/// The message in `google.rpc.Status`, with which OTLP reports an error.
#[derive(Clone, PartialEq, Eq, prost::Message)]
struct Status {
    #[prost(string, tag = "2")]
    message: String,
}

/// A profile as it is sent.
pub(crate) fn request(
    protocol: Protocol,
    address: &StoreAddress,
    profile: &Outgoing,
) -> Result<Request, ReadError> {
    let about = &profile.about;
    let header = |line: &str| line.to_owned();
    Ok(match protocol {
        Protocol::Pyroscope => Request {
            url: format!("{address}/ingest?{}", query(about)),
            headers: vec![header("Content-Type: application/octet-stream")],
            body: profile.pprof.clone(),
        },
        Protocol::Otlp => {
            let service = (keys::SERVICE.to_owned(), about.service.clone());
            let labels = about.labels.clone().into_iter();
            let began_unix_ns = about.from_s.saturating_mul(NS_PER_S);
            let resource = std::iter::once(service).chain(labels).collect();
            let message = otlp_of_file(&profile.pprof, resource, began_unix_ns)?;
            Request {
                url: format!("{address}/v1development/profiles"),
                headers: vec![
                    header("Content-Type: application/x-protobuf"),
                    header("Content-Encoding: gzip"),
                ],
                body: file_of(&message),
            }
        }
    })
}

/// Profiles that a store rejects, although its answer reports success.
pub(crate) fn not_taken(protocol: Protocol, answer: &[u8]) -> Option<String> {
    if protocol == Protocol::Pyroscope {
        return None;
    }
    // An answer in another format has no information about parts.
    let partial = ExportResponse::decode(answer).ok()?.partial_success?;
    (partial.rejected_profiles > 0).then(|| match partial.error_message.as_str() {
        "" => "it does not say why".to_owned(),
        why => plain_text(why),
    })
}

/// The error, where a store reports it in a message.
pub(crate) fn complaint(protocol: Protocol, answer: &[u8]) -> Option<String> {
    if protocol == Protocol::Pyroscope {
        return None;
    }
    let status = Status::decode(answer).ok()?;
    (!status.message.is_empty()).then(|| plain_text(&status.message))
}

fn plain_text(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control());
    plain.take(MAX_COMPLAINT_CHARS).collect()
}

/// What Pyroscope wants to know: `name=service{label=value,…}`, from, until, format.
fn query(about: &About) -> String {
    let labels = about.labels.iter();
    let labels: Vec<String> = labels
        .map(|(name, value)| format!("{}={}", plain(name), plain(value)))
        .collect();
    let name = format!("{}{{{}}}", plain(&about.service), labels.join(","));
    format!(
        "name={}&from={}&until={}&format=pprof&spyName=extrospect",
        encoded(&name),
        about.from_s,
        about.until_s
    )
}

/// Without characters that would end a name or value in the list of labels.
fn plain(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || "{},=\"".contains(c);
    text.replace(is_odd, "_")
}

fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            // A string takes every character.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::otlp::{PartialSuccess, ProfilesData};
    use std::io::Read;

    #[test]
    fn labels_cannot_end_the_list_of_labels() {
        let labels = [("node", "shop@h"), ("commit", "a,b}={\n\"x")];
        let about = About {
            service: "shop &x".to_owned(),
            labels: labels
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            from_s: 5,
            until_s: 15,
        };
        assert_eq!(
            query(&about),
            "name=shop%20%26x%7Bcommit%3Da_b_____x%2Cnode%3Dshop%40h%7D&from=5&until=15&format=pprof&spyName=extrospect"
        );
    }

    #[test]
    fn otlp_has_the_service_and_labels_of_the_profile() {
        let address = StoreAddress::parse("http://h:4318/x/").unwrap();
        let about = About {
            service: "shop".to_owned(),
            labels: [("node".to_owned(), "shop@h".to_owned())].into(),
            from_s: 5,
            until_s: 15,
        };
        let pprof = capture::pprof::Profile {
            string_table: vec![String::new(), "samples".to_owned(), "count".to_owned()],
            sample_type: vec![capture::pprof::ValueType { r#type: 1, unit: 2 }],
            ..Default::default()
        };
        let profile = Outgoing {
            about,
            pprof: file_of(&pprof.encode_to_vec()),
        };
        let request = request(Protocol::Otlp, &address, &profile).unwrap();
        assert_eq!(request.url, "http://h:4318/x/v1development/profiles");
        let mut message = Vec::new();
        let mut inflated = flate2::read::GzDecoder::new(&request.body[..]);
        inflated.read_to_end(&mut message).unwrap();
        let data = ProfilesData::decode(&message[..]).unwrap();
        let of = &data.resource_profiles[0];
        let attributes = of.resource.as_ref().unwrap().attributes.iter();
        let names: Vec<&str> = attributes.map(|it| it.key.as_str()).collect();
        assert_eq!(names, ["service.name", "node"]);
        let profile = &of.scope_profiles[0].profiles[0];
        assert_eq!(profile.time_unix_nano, 5_000_000_000);
    }

    #[test]
    fn what_is_taken_in_part_is_not_taken() {
        let answer = |rejected_profiles, error: &str| {
            let partial_success = Some(PartialSuccess {
                rejected_profiles,
                error_message: error.to_owned(),
            });
            ExportResponse { partial_success }.encode_to_vec()
        };
        let refusal = |answer: &[u8]| not_taken(Protocol::Otlp, answer);
        assert_eq!(refusal(&answer(1, "too\x1bold")), Some("tooold".to_owned()));
        assert_eq!(refusal(&answer(0, "a warning")), None);
        assert_eq!(refusal(b""), None);
        assert_eq!(refusal(b"<html>"), None);
        assert_eq!(not_taken(Protocol::Pyroscope, &answer(1, "x")), None);
    }
}
