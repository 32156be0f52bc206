//! A metric of a page that a server has.

use std::time::{Duration, Instant};

use outside_programs::transfer::{Bounds, ProgramError, Transfer, Transferred};
use outside_programs::{WebAddress, find_curl};
use unprivileged_child::{ChildUser, without_our_rights};

use crate::error::CountError;
use crate::metric::Metric;
use crate::page::value_of;

/// A broker with many queues has pages of some megabytes.
const MAX_BYTES: u64 = 32 << 20;
const CONNECT: Duration = Duration::from_secs(5);
const TIME: Duration = Duration::from_secs(10);

/// Fetches the page by `curl`, which has none of our rights, and looks the metric up.
pub(crate) fn read(
    metric: &Metric,
    address: &WebAddress,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<f64, CountError> {
    let curl = find_curl().ok_or(CountError::NoCurl)?;
    let transfer = || {
        let mut page = Vec::new();
        let transfer = Transfer {
            curl: &curl,
            user: ChildUser::when_root(),
            url: address.as_str(),
            is_encrypted: address.is_encrypted(),
            post: None,
            bounds: Bounds {
                reply_bytes: MAX_BYTES,
                silence: TIME,
                connect: CONNECT,
                time: TIME,
                ..Bounds::default()
            },
            deadline: Instant::now() + TIME + CONNECT,
        };
        let mut take = |part: &[u8]| {
            page.extend_from_slice(part);
            Ok(())
        };
        transfer
            .run(&mut take, &cancelled)
            .map(|transferred| (transferred, page))
    };
    let no_page = |error| match error {
        ProgramError::Cancelled => CountError::Cancelled,
        error => CountError::NoPage {
            address: address.to_string(),
            error,
        },
    };
    let fetched = without_our_rights(transfer)
        .map_err(ProgramError::NotStarted)
        .and_then(|fetched| fetched)
        .map_err(no_page)?;
    match fetched {
        (Transferred::Missing, _) => Err(CountError::Missing {
            address: address.to_string(),
        }),
        (Transferred::Done, page) => {
            value_of(metric, &page).map_err(|error| CountError::NotOnPage {
                address: address.to_string(),
                error,
            })
        }
    }
}
