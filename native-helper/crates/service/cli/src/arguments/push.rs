//! How profiles are sent to a store: `push`, and `record --push`.

use std::path::PathBuf;

use clap::Args;
use profile_store::address::StoreAddress;
use profile_store::protocol::Protocol;

use super::WhichSamples;

/// How profiles are sent to a store, wherever a command sends some.
#[derive(Debug, Clone, Args)]
pub struct Sending {
    /// A file with HTTP headers for the store, such as `Authorization: Bearer ...`; without it,
    /// they come from the variable EXTROSPECT_STORE_HEADERS.
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// Send OpenTelemetry's profiles by HTTP (OTLP), as collectors and Pyroscope take them, instead of
    /// pprof.
    #[arg(long)]
    pub otlp: bool,
    /// Name of the profiled program in the store [default: the node's name without host].
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// The commit that the code was built from, as a label [default: the commit in the capture, or the
    /// one that `record` finds in the folder of the sources; with --all only if --source-dir names
    /// one].
    #[arg(long)]
    pub commit: Option<String>,
    /// Another label; can be given several times.
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    pub labels: Vec<(String, String)>,
}

impl Sending {
    /// In which format.
    pub fn protocol(&self) -> Protocol {
        match self.otlp {
            true => Protocol::Otlp,
            false => Protocol::Pyroscope,
        }
    }
}

/// `push`.
#[derive(Debug, Args)]
pub struct Push {
    /// A capture or a profile of another tool.
    pub file: PathBuf,
    /// The store.
    #[arg(long, value_name = "URL", value_parser = store)]
    pub to: StoreAddress,
    /// Which samples of the file.
    #[command(flatten)]
    pub which: WhichSamples,
    /// How to send.
    #[command(flatten)]
    pub sending: Sending,
}

/// The address of a store.
pub(super) fn store(text: &str) -> Result<StoreAddress, String> {
    StoreAddress::parse(text).map_err(|error| error.to_string())
}

fn label(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name) => Ok((name.to_owned(), value.to_owned())),
        _ => Err("not NAME=VALUE, the name of letters, digits and _".to_owned()),
    }
}
