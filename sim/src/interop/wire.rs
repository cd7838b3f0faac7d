//! The wire between NIC and guest: captures and checks every frame, loses and doubles some.

use super::InteropError;
use crate::net::switch::Faults;
use crate::pcap::{Record, Writer};
use nic_spec::wire::roce::{FrameError, FrameRepr};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the guest.
    ToNic,
    /// From the NIC.
    ToGuest,
}

/// Frames of one direction, or of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames offered, by [`Direction`].
    pub frames: [u64; 2],
    /// RoCEv2 frames whose checksums and lengths were found good.
    pub roce_good: u64,
    /// RoCEv2 frames that are not.
    pub roce_bad: u64,
    /// Frames lost on purpose.
    pub lost: u64,
    /// Frames delivered twice on purpose.
    pub duplicated: u64,
}

/// The wire.
#[derive(Debug)]
pub struct Wire {
    capture: Writer,
    faults: Faults,
    rngs: [ChaCha8Rng; 2],
    number: u64,
    /// What was seen.
    pub counters: Counters,
    /// What is wrong with the first bad frame.
    pub complaint: Option<String>,
}

impl Wire {
    /// A wire whose frames are captured into `path`; faults are a function of `seed` and the
    /// number of the RoCEv2 frame in its direction.
    pub fn new(path: &Path, seed: u64) -> Result<Self, InteropError> {
        let rng = |direction| ChaCha8Rng::seed_from_u64(seed ^ direction);
        Ok(Self {
            capture: Writer::create(path)?,
            faults: Faults::default(),
            rngs: [rng(0x0a11), rng(0x0b22)],
            number: 0,
            counters: Counters::default(),
            complaint: None,
        })
    }

    /// Loses and doubles frames at these rates from now on.
    pub fn set_faults(&mut self, faults: Faults) {
        self.faults = faults;
    }

    /// Brings the capture to its file.
    pub fn flush(&mut self) -> Result<(), InteropError> {
        Ok(self.capture.flush()?)
    }

    /// Takes a frame; how often it is to be delivered: 0, 1 or 2 times.
    ///
    /// The capture holds every frame once, as its sender sent it. Only RoCEv2 frames are lost or
    /// doubled: ARP and ping have no part in the test.
    pub fn pass(&mut self, direction: Direction, frame: &[u8]) -> Result<u32, InteropError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.capture.record(&Record { time_ns: now.as_nanos() as u64, data: frame.to_vec() })?;
        self.number += 1;
        self.counters.frames[direction as usize] += 1;
        match FrameRepr::parse(frame, None) {
            Ok(_) => self.counters.roce_good += 1,
            Err(FrameError::NotRoce) => return Ok(1),
            Err(error) => {
                self.counters.roce_bad += 1;
                let text = format!("frame {} of the capture: {error}", self.number);
                self.complaint.get_or_insert(text);
            }
        }
        let rng = &mut self.rngs[direction as usize];
        // Both are always drawn, so that one rate does not change what the other hits.
        let [loss, double] = [(); 2].map(|()| rng.gen_range(0..1_000_000u32));
        if loss < self.faults.loss_ppm {
            self.counters.lost += 1;
            return Ok(0);
        }
        if double < self.faults.duplicate_ppm {
            self.counters.duplicated += 1;
            return Ok(2);
        }
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_counts_checks_and_loses() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/rxe/");
        let records = crate::pcap::read(format!("{dir}write_multi.pcap")).unwrap();
        let path = std::env::temp_dir().join(format!("nic-wire-{}.pcap", std::process::id()));
        let mut wire = Wire::new(&path, 3).unwrap();
        wire.set_faults(Faults { loss_ppm: 200_000, duplicate_ppm: 200_000, ..Faults::default() });
        let mut delivered = 0;
        for record in &records {
            delivered += u64::from(wire.pass(Direction::ToNic, &record.data).unwrap());
        }
        let mut bad = records[0].data.clone();
        bad[60] ^= 1;
        wire.pass(Direction::ToGuest, &bad).unwrap();
        wire.flush().unwrap();
        let captured = crate::pcap::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let c = wire.counters;
        let total = records.len() as u64;
        assert_eq!((c.frames, captured.len() as u64), ([total, 1], total + 1));
        assert_eq!((c.roce_good, c.roce_bad), (total, 1));
        assert_eq!(delivered, total - c.lost + c.duplicated);
        assert!(c.lost > 5 && c.duplicated > 5, "{c:?}");
        assert_eq!(wire.complaint, Some(format!("frame {} of the capture: wrong ICRC", total + 1)));
    }
}
