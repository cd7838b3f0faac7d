//! Benches: rings in host memory and what stands between them and the DMA engines.

mod cq_ring;
mod read_mux;
mod sq_fetch;

use super::random::sub;
use cq_ring::Polling;
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::host::cq::ring::CqRing;
use nic_models::golden::host::interrupt::{HostErrors, Interrupt, InterruptIn, InterruptOut};
use nic_models::golden::host::read_mux::ReadMux;
use nic_models::golden::host::sq::fetch::SqFetch;
use nic_models::streams::{RingStatus, StatusClear};
use nic_spec::config::NicConfig;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use read_mux::TwoReaders;
use sq_fetch::Submitting;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (golden, sizes) = (config.clone(), config.clone());
    let (mux, readers) = (config.clone(), config.clone());
    let (ring, polled) = (config.clone(), config.clone());
    vec![
        Bench::new(
            "read_mux",
            config,
            move || ReadMux::new(&mux),
            move |seed| TwoReaders::new(&readers, seed),
        ),
        Bench::new(
            "sq_fetch",
            config,
            move || SqFetch::new(&golden),
            move |seed| Submitting::new(&sizes, seed),
        ),
        Bench::new(
            "cq_ring",
            config,
            move || CqRing::new(&ring),
            move |seed| Polling::new(&polled, seed),
        ),
        Bench::new("interrupt", config, Interrupt::default, Causes::new),
    ]
}

/// Causes and software, all at random.
struct Causes(ChaCha8Rng);

impl Causes {
    fn new(seed: u64) -> Self {
        Self(sub(seed, 0))
    }
}

impl Stimulus<Interrupt> for Causes {
    fn next(&mut self, cycle: u64, _: &InterruptOut) -> InterruptIn {
        let rng = &mut self.0;
        InterruptIn {
            reset: rng.gen_ratio(1, 2000),
            cfg_enable: (cycle / 64 % 4) as u8,
            ring: RingStatus {
                armed: rng.gen_ratio(1, 8),
                waiting: rng.gen_ratio(1, 4),
                full: rng.gen_ratio(1, 8),
                owns: rng.gen_ratio(1, 8),
            },
            error: HostErrors {
                doorbell: rng.gen_ratio(1, 32),
                sq: rng.gen_ratio(1, 32),
                cq: rng.gen_ratio(1, 32),
                consumer: rng.gen_ratio(1, 32),
            },
            doorbell_flow: rng.gen(),
            clear: StatusClear { valid: rng.gen_ratio(1, 8), bits: rng.gen() },
        }
    }
}
