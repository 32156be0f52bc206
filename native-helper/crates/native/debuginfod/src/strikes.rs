//! Servers that are no longer queried.

use std::sync::{Mutex, PoisonError};

use shared_map::HashMap;

use crate::servers::Server;
use outside_programs::transfer::ProgramError;

/// After this many bad answers, a server is not queried again.
const MAX_BAD_ANSWERS: u32 = 3;

/// The failures of servers in one fetch.
#[derive(Debug, Default)]
pub struct Strikes(Mutex<HashMap<Server, u32>>);

impl Strikes {
    /// Whether to query it.
    pub fn allow(&self, server: &Server) -> bool {
        let strikes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        strikes
            .get(server)
            .is_none_or(|count| *count < MAX_BAD_ANSWERS)
    }

    /// Notes a bad answer: garbage, another build, an error of its own.
    pub fn bad_answer(&self, server: &Server) {
        self.add(server, 1);
    }

    /// Notes a failed transfer. A server that cannot be reached or hangs costs the user's time, and is
    /// not queried again at all.
    pub fn failed(&self, server: &Server, error: &ProgramError) {
        match error {
            ProgramError::Slow(_) | ProgramError::Unreachable(_) => {
                self.add(server, MAX_BAD_ANSWERS);
            }
            ProgramError::TooLarge { .. } | ProgramError::Failed(_) => self.add(server, 1),
            // Not the server's fault.
            _ => {}
        }
    }

    fn add(&self, server: &Server, count: u32) {
        let mut strikes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = strikes.entry(server.clone()).or_default();
        *so_far = so_far.saturating_add(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_hang_or_lie_three_times_get_no_further_request() {
        let server = |text| Server::parse(text).unwrap();
        let (hangs, lies) = (server("http://hangs"), server("http://lies"));
        let strikes = Strikes::default();
        strikes.failed(&lies, &ProgramError::Cancelled);
        strikes.bad_answer(&lies);
        strikes.failed(&lies, &ProgramError::TooLarge { limit: 1 });
        strikes.failed(&hangs, &ProgramError::Slow(String::new()));
        assert!(strikes.allow(&lies) && !strikes.allow(&hangs));
        strikes.failed(&lies, &ProgramError::Failed(String::new()));
        assert!(!strikes.allow(&lies));
    }
}
