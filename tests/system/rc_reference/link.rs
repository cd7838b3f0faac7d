//! The reference at both ends of a link that loses, doubles and delays packets.

use super::{region, MTU, WRITES};
use nic_models::reference::rc::check::ResponderCheck;
use nic_models::reference::rc::requester::{Completion, Effect, Limits, Requester, Status, Work};
use nic_models::reference::rc::responder::Responder;
use nic_models::reference::rc::{Answer, Request};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two hosts and a link that loses, duplicates and reorders.
struct Lab {
    rng: ChaCha8Rng,
    requester: Requester,
    check: ResponderCheck,
    requests: Vec<Request>,
    answers: Vec<Answer>,
}

impl Lab {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let psn = 0xff_ffff - rng.gen_range(0..40);
        let limits = Limits { ack_interval: 4, retry: 1_000_000, rnr_retry: None, reads: 16 };
        Self {
            requester: Requester::new(MTU, psn, limits),
            check: ResponderCheck::new(Responder::new(MTU, psn, WRITES), region(20_000)),
            rng,
            requests: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// The link takes an item: lost, kept, or kept twice.
    fn pass<T: Clone>(rng: &mut ChaCha8Rng, queue: &mut Vec<T>, item: T) {
        let copies = [0, 1, 1, 1, 1, 1, 1, 1, 1, 2][rng.gen_range(0..10)];
        queue.extend(std::iter::repeat_n(item, copies));
    }

    /// Takes the oldest, seldom another one.
    fn take<T>(rng: &mut ChaCha8Rng, queue: &mut Vec<T>) -> Option<T> {
        let at = if rng.gen_range(0..20) == 0 { rng.gen_range(0..4) } else { 0 };
        (!queue.is_empty()).then(|| queue.remove(at.min(queue.len() - 1)))
    }

    fn step(&mut self) {
        match self.rng.gen_range(0..3) {
            0 if self.requester.outstanding() < 16 => {
                if let Some(request) = self.requester.send() {
                    Self::pass(&mut self.rng, &mut self.requests, request);
                }
            }
            1 => {
                let Some(request) = Self::take(&mut self.rng, &mut self.requests) else { return };
                for answer in self.check.request(&request).answers {
                    self.check.answer(&answer).expect("the reference agrees with itself");
                    Self::pass(&mut self.rng, &mut self.answers, answer);
                }
            }
            2 => {
                let Some(answer) = Self::take(&mut self.rng, &mut self.answers) else { return };
                self.requester.answer(&answer);
            }
            _ => {}
        }
        let is_quiet = self.requests.is_empty() && self.answers.is_empty();
        if is_quiet && self.rng.gen_range(0..50) == 0 {
            self.requester.timeout();
        }
    }
}

#[test]
fn rc_reference_delivers_over_a_bad_link() {
    for seed in 0..100 {
        let mut lab = Lab::new(seed);
        let mut expected = region(20_000);
        let mut at = 0;
        for wr_id in 0..20_u32 {
            let bytes: Vec<u8> = (0..lab.rng.gen_range(0..1000)).map(|_| lab.rng.gen()).collect();
            let target = &mut expected.regions.get_mut(&0x77).expect("there").bytes;
            target[at..at + bytes.len()].copy_from_slice(&bytes);
            let imm = (wr_id % 3 == 0).then_some(wr_id);
            let va = 0x1000 + at as u64;
            at += bytes.len();
            let work =
                Work { wr_id, bytes, va, rkey: 0x77, imm, signalled: true, ..Work::default() };
            lab.requester.post(work);
        }
        let mut steps = 0;
        while !lab.requester.is_idle() {
            lab.step();
            steps += 1;
            assert!(steps < 1_000_000, "seed {seed}: stuck");
        }
        assert!(lab.check.memory == expected, "seed {seed}");
        assert_eq!(lab.check.finish(), Ok(()), "seed {seed}");
        assert_eq!(lab.check.responder().msn(), 20, "seed {seed}");
        let immediates: Vec<_> = lab.check.received.iter().map(|r| r.imm).collect();
        assert_eq!(immediates, (0..20).step_by(3).map(Some).collect::<Vec<_>>(), "seed {seed}");
        let done: Vec<_> = lab.requester.completions.iter().copied().collect();
        let all_ok = |wr_id| Completion { wr_id, status: Status::Ok };
        assert_eq!(done, (0..20).map(all_ok).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn rc_reference_ends_a_connection_once() {
    let limits = Limits { ack_interval: 1, retry: 2, rnr_retry: Some(1), reads: 16 };
    let posted = || {
        let mut requester = Requester::new(MTU, 10, limits);
        for wr_id in 0..3 {
            requester.post(Work { wr_id, bytes: vec![1; 300], signalled: true, ..Work::default() });
        }
        (0..4).for_each(|_| drop(requester.send()));
        requester
    };
    let statuses = |r: &Requester| r.completions.iter().map(|c| c.status).collect::<Vec<_>>();
    let mut r = posted();
    assert_eq!((r.timeout(), r.timeout()), (Effect::Rewound(10), Effect::Rewound(10)));
    assert_eq!(r.timeout(), Effect::Fatal(Status::RetryExceeded));
    assert_eq!(statuses(&r), [Status::RetryExceeded, Status::Flushed, Status::Flushed]);
    let mut r = posted();
    let nak = Answer::acknowledge(12, syndrome::NAK_REMOTE_ACCESS, 1);
    assert_eq!(r.answer(&nak), Effect::Fatal(Status::RemoteAccess));
    assert_eq!(statuses(&r), [Status::Ok, Status::RemoteAccess, Status::Flushed]);
    assert_eq!(r.answer(&nak), Effect::Ghost);
    let mut r = posted();
    let rnr = Answer::acknowledge(10, syndrome::RNR_NAK | 5, 0);
    assert_eq!(r.answer(&rnr), Effect::Waits(10, 5));
    assert_eq!(r.answer(&rnr), Effect::Fatal(Status::RnrExceeded));
    let mut r = posted();
    let ghost = Answer::acknowledge(14, syndrome::ACK, 3);
    assert_eq!(r.answer(&ghost), Effect::Ghost, "PSN 14 was never sent");
    assert_eq!(r.answer(&Answer::acknowledge(9, syndrome::ACK, 0)), Effect::Stale);
    assert_eq!(r.answer(&Answer::acknowledge(12, syndrome::NAK_SEQUENCE, 1)), Effect::Rewound(12));
    assert_eq!(r.send().map(|p| (p.psn, p.opcode)), Some((12, opcode::WRITE_FIRST)));
}
