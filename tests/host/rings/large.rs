//! Rings of the largest size: 2^15 entries.

use super::{bytes, ip, mac, qp_config, write, Host, Pair, Plan, CQ, REGION, SOURCE};
use nic_driver::rings::{HostMemory, Ring, Work};
use nic_driver::{Bus, Completion, Error, Nic, Qp, Status};
use nic_harness::verilator::Source;
use nic_sim::engine::EngineKind;
use nic_sim::env::station::{Manners, Station};
use nic_spec::regs;
use rdma_nic::gbe;

const LOG2: u8 = 15;
const SIZE: u32 = 1 << LOG2;
/// Work requests of the second round, which wraps both rings.
const MORE: u32 = 3000;
/// A run in which nothing lands in the completion ring for so long is given up.
const STUCK_CYCLES: u32 = 200_000;

/// A host that fills its rings.
trait Filler {
    type Bus: HostMemory<Error: std::fmt::Debug>;
    fn parts(&mut self) -> (&mut Nic<Self::Bus>, &mut Qp);
    fn run(&mut self, cycles: u64);

    fn register(&mut self, offset: u16) -> u32 {
        self.parts().0.bus().read32(offset.into()).expect("read")
    }

    /// Runs until the completion ring has `count` entries.
    fn wait_for(&mut self, count: u32) {
        let (mut seen, mut quiet) = (0, 0);
        while seen != count & 0xffff {
            self.run(1000);
            let now = self.register(regs::CQ_PRODUCER) & 0xffff;
            quiet = if now == seen { quiet + 1000 } else { 0 };
            seen = now;
            assert!(quiet < STUCK_CYCLES, "{seen} of {count} completions");
        }
    }

    fn submit(&mut self, work: &[Work]) -> Result<u32, Error<<Self::Bus as Bus>::Error>> {
        let (nic, qp) = self.parts();
        nic.submit(qp, work)
    }

    /// Rings the bell; whether it was refused.
    fn rings(&mut self, index: u32) -> bool {
        let (nic, qp) = self.parts();
        let value = u32::from(qp.flow_index) | index << 16;
        nic.bus().write32(regs::DOORBELL.into(), value).expect("written");
        let status = nic.host_status().expect("read");
        nic.clear_status(status).expect("cleared");
        status.refused_doorbell().is_some()
    }

    /// All completions that are in the ring.
    fn completions(&mut self) -> Vec<Completion> {
        let (nic, qp) = self.parts();
        let mut all = Vec::new();
        while let Some(completion) = nic.poll_cq().expect("polled") {
            qp.complete(&completion);
            all.push(completion);
        }
        all
    }

    /// Both rings full, overflow, both rings over the wrap; the statuses, in order.
    fn fill(&mut self, work: Work) -> Vec<Status> {
        let all = vec![work; SIZE as usize];
        assert_eq!(self.submit(&all).expect("the ring takes its size"), 0);
        assert!(matches!(self.submit(&[work]), Err(Error::SendQueueFull)), "the driver counts");
        // Further ahead than the ring is long, and behind what was told.
        assert!(self.rings(SIZE + 20_000), "beyond the ring");
        assert!(self.rings(SIZE - 1), "behind");
        assert!(!self.rings(SIZE), "the same again is none too many");
        self.wait_for(SIZE);
        // The completion ring is full, nothing has been taken out, and no completion waits.
        let (nic, qp) = self.parts();
        assert!(!nic.host_status().expect("read").is_cq_full());
        assert_eq!(qp.outstanding_count(), SIZE);
        let first = self.parts().0.poll_cq().expect("polled").expect("the first");
        self.parts().1.complete(&first);
        let mut ended = vec![(first.wr_id, first.status)];
        assert_eq!(self.submit(&[work]).expect("one place is free"), SIZE);
        assert!(matches!(self.submit(&[work]), Err(Error::SendQueueFull)));
        // The NIC has not been told that the first was taken: the new completion waits.
        self.run(20_000);
        assert!(self.parts().0.host_status().expect("read").is_cq_full(), "it waits");
        assert_eq!((self.register(regs::CQ_COUNT), self.register(regs::CQ_PRODUCER)), (1, SIZE));
        ended.extend(self.completions().iter().map(|c| (c.wr_id, c.status)));
        self.wait_for(SIZE + 1);
        assert_eq!(self.submit(&vec![work; MORE as usize]).expect("room"), SIZE + 1);
        self.wait_for(SIZE + 1 + MORE);
        ended.extend(self.completions().iter().map(|c| (c.wr_id, c.status)));
        let ids: Vec<u32> = ended.iter().map(|(id, _)| *id).collect();
        assert!(ids.iter().copied().eq(0..SIZE + 1 + MORE), "each once, in order");
        ended.into_iter().map(|(_, status)| status).collect()
    }
}

impl Filler for Pair {
    type Bus = nic_sim::net::NetworkBus;

    fn parts(&mut self) -> (&mut Nic<Self::Bus>, &mut Qp) {
        let Host { nic, qps } = &mut self.hosts[0];
        (nic, &mut qps[0])
    }

    fn run(&mut self, cycles: u64) {
        Pair::run(self, cycles);
    }
}

#[test]
fn rings_of_the_largest_size_fill_and_wrap() {
    let mut pair = Pair::new(Plan::golden(1, LOG2, LOG2));
    pair.store(0, SOURCE, &bytes(0, SOURCE, 8));
    let statuses = pair.fill(Work::Write(write(0, 8)));
    assert!(statuses.iter().all(|status| *status == Status::Ok));
    assert_eq!(pair.load(1, REGION, 8), bytes(0, SOURCE, 8));
    assert_eq!(pair.counter(0, "sq_doorbell_refused"), 2);
    assert_eq!(pair.counter(1, "resp_accepted"), SIZE + 1 + MORE);
}

/// A NIC alone whose queue pair is in error.
struct Alone {
    nic: Nic<Station>,
    qp: Qp,
}

impl Filler for Alone {
    type Bus = Station;

    fn parts(&mut self) -> (&mut Nic<Station>, &mut Qp) {
        (&mut self.nic, &mut self.qp)
    }

    fn run(&mut self, cycles: u64) {
        self.nic.bus().run(cycles).expect("equal");
    }
}

/// Nobody answers, so all that is behind the first work request is flushed: the rings alone work.
#[test]
fn rings_of_the_largest_size_in_lock_step() {
    let source: Source = nic_sim::bench::emitted("nic", &gbe()).expect("emitted");
    let engine = EngineKind::Both.nic(&gbe(), &source, 1).expect("an engine");
    let station = Station::new(engine, Manners::Prompt, 1).expect("reset");
    let mut nic = Nic::probe(station).expect("a NIC");
    nic.set_address(mac(0), ip(0)).expect("set");
    nic.open_cq(Ring { address: CQ, log2: LOG2 }).expect("opened");
    let mut config = qp_config(&Plan::golden(1, LOG2, LOG2), 0, 0);
    (config.timeout_exponent, config.retry_limit) = (1, 0);
    let qp = nic.create_qp(&config).expect("created");
    let statuses = Alone { nic, qp }.fill(Work::Write(write(0, 8)));
    assert_eq!(statuses[0], Status::RetryExceeded);
    assert!(statuses[1..].iter().all(|status| *status == Status::Flushed));
}
