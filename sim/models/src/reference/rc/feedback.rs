//! Telemetry responses: what the reader of a queue pair owes the sender of READ responses.
//!
//! Source: hdl/feedback.md. The telemetry of a READ response goes back in a packet of
//! its own; at most one leaves in an interval, and it brings what came last. A lost one is
//! replaced by the next. Time is the caller's.

use super::psn_distance;
use nic_spec::wire::telemetry::Repr;
use std::collections::VecDeque;

/// What is wrong with a telemetry response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackError {
    /// No READ response with this PSN has come since the last one left.
    Unfounded,
    /// Its telemetry is not that of the READ response.
    Altered,
    /// Another left less than an interval before.
    TooSoon,
}

impl core::fmt::Display for FeedbackError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Unfounded => "no such READ response has come since the last one",
            Self::Altered => "its telemetry is not that of the READ response",
            Self::TooSoon => "it comes less than an interval behind the last one",
        })
    }
}

impl core::error::Error for FeedbackError {}

/// Holds telemetry responses of a queue pair against the READ responses that came.
#[derive(Clone, Debug, Default)]
pub struct FeedbackCheck {
    interval: u64,
    /// READ responses since the last telemetry response: when, PSN, telemetry if it is known.
    came: VecDeque<(u64, u32, Option<Repr>)>,
    last_sent: Option<u64>,
}

impl FeedbackCheck {
    /// `interval` between two telemetry responses, in the caller's unit of time.
    pub fn new(interval: u64) -> Self {
        Self { interval, ..Self::default() }
    }

    /// A READ response with telemetry has come; `None` if nobody knows what telemetry.
    pub fn came(&mut self, at: u64, psn: u32, telemetry: Option<Repr>) {
        self.came.push_back((at, psn, telemetry));
    }

    /// A telemetry response leaves. What came before its READ response is never sent; of equal ones it
    /// is the first.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn sent(
        &mut self,
        at: u64,
        psn: u32,
        telemetry: Option<Repr>,
    ) -> Result<(), FeedbackError> {
        let is_it = |came: &(u64, u32, Option<Repr>)| {
            let is_right = |known: Repr| telemetry == Some(known);
            psn_distance(psn, came.1) == 0 && came.2.is_none_or(is_right)
        };
        let Some(place) = self.came.iter().position(is_it) else {
            let has_psn = self.came.iter().any(|came| came.1 == psn);
            return Err(if has_psn { FeedbackError::Altered } else { FeedbackError::Unfounded });
        };
        self.came.drain(..=place);
        let last = self.last_sent.replace(at);
        match last {
            Some(last) if at < last + self.interval => Err(FeedbackError::TooSoon),
            _ => Ok(()),
        }
    }

    /// Since when telemetry waits that no telemetry response has brought yet.
    pub fn owes_since(&self) -> Option<u64> {
        self.came.back().map(|came| came.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_spec::wire::telemetry::Hop;

    #[test]
    fn feedback_check_wants_the_newest_and_the_interval() {
        let stack = |queue_units| Repr::new(0x123, &[Hop { queue_units, ..Hop::default() }]);
        let mut check = FeedbackCheck::new(100);
        assert_eq!(check.sent(0, 5, Some(stack(1))), Err(FeedbackError::Unfounded));
        check.came(10, 5, Some(stack(1)));
        check.came(11, 6, Some(stack(2)));
        assert_eq!(check.clone().sent(12, 5, Some(stack(2))), Err(FeedbackError::Altered));
        assert_eq!((check.sent(12, 6, Some(stack(2))), check.owes_since()), (Ok(()), None));
        assert_eq!(check.clone().sent(13, 5, Some(stack(1))), Err(FeedbackError::Unfounded));
        check.came(20, 7, None);
        assert_eq!(check.owes_since(), Some(20));
        assert_eq!(check.clone().sent(111, 7, Some(stack(9))), Err(FeedbackError::TooSoon));
        assert_eq!(check.sent(112, 7, Some(stack(9))), Ok(()));
    }
}
