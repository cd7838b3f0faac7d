//! RDMA READ in the message-level requester: what the standard says of its answers, one by one,
//! and every byte over a link that loses, duplicates and reorders.

use nic_models::reference::rc::requester::{
    Completion, Effect, Landing, Limits, Requester, Status, Work,
};
use nic_models::reference::rc::responder::{Abilities, Responder};
use nic_models::reference::rc::{Answer, Memory, Region, Remote, Request};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const MTU: usize = 256;
const LIMITS: Limits = Limits { ack_interval: 4, retry: 2, rnr_retry: Some(1), reads: 2 };
/// First PSN: the wrap is inside of the first READ.
const PSN: u32 = 0xff_fffe;

fn read(wr_id: u32, bytes: u32) -> Work {
    Work { wr_id, read_bytes: Some(bytes), va: 0x1000, signalled: true, ..Work::default() }
}

fn write(wr_id: u32, bytes: usize) -> Work {
    Work { wr_id, bytes: vec![7; bytes], va: 0x9000, signalled: true, ..Work::default() }
}

/// A requester that has sent all it may of `works`.
fn sent(works: impl IntoIterator<Item = Work>) -> (Requester, Vec<Request>) {
    let mut requester = Requester::new(MTU, PSN, LIMITS);
    works.into_iter().for_each(|work| requester.post(work));
    let requests = std::iter::from_fn(|| requester.send()).collect();
    (requester, requests)
}

fn response(opcode: u8, psn: u32, bytes: usize) -> Answer {
    let payload = vec![psn as u8; bytes];
    Answer { opcode, payload, ..Answer::acknowledge(psn, syndrome::ACK, 0) }
}

fn ack(psn: u32) -> Answer {
    Answer::acknowledge(psn, syndrome::ACK, 0)
}

fn nak(psn: u32) -> Answer {
    Answer::acknowledge(psn, syndrome::NAK_SEQUENCE, 0)
}

fn statuses(requester: &Requester) -> Vec<(u32, Status)> {
    requester.completions.iter().map(|c| (c.wr_id, c.status)).collect()
}

#[test]
fn rc_reference_read_is_one_request_and_all_its_responses() {
    let (mut r, requests) = sent([read(1, 600), write(2, 10)]);
    let seen: Vec<_> = requests.iter().map(|q| (q.opcode, q.psn, q.remote)).collect();
    let remote = |va, length_bytes| Some(Remote { va, rkey: 0, length_bytes });
    let due = [(READ_REQUEST, PSN, remote(0x1000, 600)), (WRITE_ONLY, 1, remote(0x9000, 10))];
    assert_eq!(seen, due, "a READ takes the PSNs of its responses");
    assert_eq!(r.outstanding(), 4);
    assert_eq!(r.answer(&response(READ_RESPONSE_FIRST, PSN, 256)), Effect::Progress);
    assert_eq!(r.answer(&response(READ_RESPONSE_MIDDLE, 0xff_ffff, 256)), Effect::Progress);
    assert_eq!(statuses(&r), []);
    assert_eq!(r.answer(&response(READ_RESPONSE_LAST, 0, 88)), Effect::Progress);
    assert_eq!(statuses(&r), [(1, Status::Ok)]);
    let places: Vec<_> = r.landings.iter().map(|l| (l.wr_id, l.offset, l.bytes.len())).collect();
    assert_eq!(places, [(1, 0, 256), (1, 256, 256), (1, 512, 88)]);
    assert_eq!(r.answer(&ack(1)), Effect::Progress);
    assert_eq!(statuses(&r), [(1, Status::Ok), (2, Status::Ok)]);
}

#[test]
fn rc_reference_read_of_nothing_has_one_empty_response() {
    let (mut r, requests) = sent([read(1, 0), write(2, 0)]);
    assert_eq!(requests[1].psn, 0xff_ffff);
    assert_eq!(r.answer(&response(READ_RESPONSE_ONLY, PSN, 0)), Effect::Progress);
    assert_eq!(statuses(&r), [(1, Status::Ok)]);
    assert_eq!(r.landings, [Landing { wr_id: 1, offset: 0, bytes: vec![] }]);
}

#[test]
fn rc_reference_read_acknowledges_the_writes_before_it() {
    let works = || [write(1, 300), read(2, 600), write(3, 8)];
    let (mut r, _) = sent(works());
    assert_eq!(r.answer(&response(READ_RESPONSE_FIRST, 0, 256)), Effect::Progress);
    assert_eq!((statuses(&r), r.unacked_psn()), (vec![(1, Status::Ok)], 1));
    // Only the response whose turn it is does that.
    for psn in [PSN, 0xff_ffff, 1, 2, 3, 4] {
        let (mut r, _) = sent(works());
        let effect = r.answer(&response(READ_RESPONSE_MIDDLE, psn, 256));
        let due = match psn {
            4 => Effect::Ghost,
            1..=3 => Effect::Rewound(PSN),
            _ => Effect::Stale,
        };
        assert_eq!((effect, r.unacked_psn()), (due, PSN), "PSN {psn}");
        assert!(r.landings.is_empty() && r.completions.is_empty());
    }
}

#[test]
fn rc_reference_read_is_not_acknowledged_by_anything_but_its_responses() {
    let (mut r, _) = sent([write(1, 300), read(2, 600), write(3, 8)]);
    assert_eq!(r.answer(&ack(3)), Effect::Progress, "the WRITE before it is");
    assert_eq!((statuses(&r), r.unacked_psn()), (vec![(1, Status::Ok)], 0));
    assert_eq!(r.answer(&ack(3)), Effect::Stale, "nothing new");
    r.answer(&response(READ_RESPONSE_FIRST, 0, 256));
    assert_eq!(r.answer(&ack(2)), Effect::Stale);
    assert_eq!(r.unacked_psn(), 1);
    let again = r.timeout();
    assert_eq!(again, Effect::Rewound(1));
    let request = r.send().expect("the rest of the READ");
    let remote = Remote { va: 0x1100, rkey: 0, length_bytes: 344 };
    assert_eq!((request.psn, request.remote), (1, Some(remote)), "asked for from there");
    assert_eq!(r.send().map(|q| q.psn), Some(3));
    // In the middle it is a MIDDLE to some peers, to others a FIRST: both will do.
    assert_eq!(r.answer(&response(READ_RESPONSE_FIRST, 1, 256)), Effect::Progress);
    assert_eq!(r.answer(&response(READ_RESPONSE_ONLY, 2, 88)), Effect::Progress);
    assert_eq!(statuses(&r), [(1, Status::Ok), (2, Status::Ok)]);
}

#[test]
fn rc_reference_read_takes_responses_in_order_and_once() {
    let (mut r, _) = sent([read(1, 600), read(2, 100)]);
    let gap = r.answer(&response(READ_RESPONSE_MIDDLE, 0xff_ffff, 256));
    assert_eq!(gap, Effect::Rewound(PSN), "the first one is lost");
    assert_eq!(r.answer(&response(READ_RESPONSE_ONLY, 1, 100)), Effect::Ghost, "told already");
    assert_eq!(r.answer(&response(READ_RESPONSE_FIRST, PSN, 256)), Effect::Progress);
    assert_eq!(r.answer(&response(READ_RESPONSE_FIRST, PSN, 256)), Effect::Stale);
    assert_eq!(r.answer(&nak(1)), Effect::Rewound(0xff_ffff), "a NAK behind it neither");
    // What was asked for before the rewind still counts.
    assert_eq!(r.answer(&response(READ_RESPONSE_MIDDLE, 0xff_ffff, 256)), Effect::Progress);
    assert_eq!(r.send().map(|q| q.psn), Some(0));
    assert_eq!(r.landings.len(), 2);
}

#[test]
fn rc_reference_read_asks_again_at_once_for_what_a_response_shows_to_be_lost() {
    let (mut r, _) = sent([read(1, 1024), read(2, 100)]);
    r.answer(&response(READ_RESPONSE_FIRST, PSN, 256));
    let lost = response(READ_RESPONSE_MIDDLE, 0xff_ffff, 256);
    let after = [response(READ_RESPONSE_MIDDLE, 0, 256), response(READ_RESPONSE_LAST, 1, 256)];
    assert_eq!(after.clone().map(|a| r.answer(&a)), [Effect::Rewound(0xff_ffff), Effect::Ghost]);
    let again: Vec<_> = std::iter::from_fn(|| r.send()).map(|q| (q.psn, q.remote)).collect();
    let remote = |va, length_bytes| Some(Remote { va, rkey: 0, length_bytes });
    assert_eq!(again, [(0xff_ffff, remote(0x1100, 768)), (2, remote(0x1000, 100))]);
    assert_eq!(r.answer(&after[1]), Effect::Ghost, "once until there is progress");
    assert_eq!(r.timeout(), Effect::Rewound(0xff_ffff), "then it is the timer's");
    assert_eq!(r.answer(&lost), Effect::Progress);
    assert_eq!(r.answer(&after[1]), Effect::Rewound(0), "another gap");
    after.iter().for_each(|a| assert_eq!(r.answer(a), Effect::Progress));
    // The next READ answers: all of one that has not come is asked for, too.
    let (mut r, _) = sent([read(1, 600), read(2, 100)]);
    assert_eq!(r.answer(&response(READ_RESPONSE_ONLY, 1, 100)), Effect::Rewound(PSN));
}

#[test]
fn rc_reference_read_gap_is_a_retry() {
    let (mut r, _) = sent([read(1, 600)]);
    r.answer(&response(READ_RESPONSE_FIRST, PSN, 256));
    assert_eq!(r.answer(&response(READ_RESPONSE_LAST, 0, 88)), Effect::Rewound(0xff_ffff));
    let effects: Vec<_> = (0..LIMITS.retry).map(|_| r.timeout()).collect();
    let (last, others) = effects.split_last().expect("some retries");
    assert!(others.iter().all(|e| *e == Effect::Rewound(0xff_ffff)), "{effects:?}");
    assert_eq!(*last, Effect::Fatal(Status::RetryExceeded));
}

#[test]
fn rc_reference_read_ends_with_a_bad_response() {
    let ends = |responses: &[Answer]| {
        let (mut r, _) = sent([write(1, 8), read(2, 300), write(3, 8)]);
        let last = responses.iter().map(|a| r.answer(a)).last();
        (last.expect("a response"), statuses(&r))
    };
    let bad = (
        Effect::Fatal(Status::BadResponse),
        vec![(1, Status::Ok), (2, Status::BadResponse), (3, Status::Flushed)],
    );
    let first = response(READ_RESPONSE_FIRST, 0xff_ffff, 256);
    assert_eq!(ends(&[response(READ_RESPONSE_FIRST, 0xff_ffff, 255)]), bad);
    assert_eq!(ends(&[response(READ_RESPONSE_FIRST, 0xff_ffff, 0)]), bad);
    assert_eq!(ends(&[response(READ_RESPONSE_ONLY, 0xff_ffff, 256)]), bad);
    assert_eq!(ends(&[response(READ_RESPONSE_MIDDLE, 0xff_ffff, 256)]), bad, "nothing begins so");
    assert_eq!(ends(&[response(READ_RESPONSE_LAST, 0xff_ffff, 256)]), bad);
    assert_eq!(ends(&[first.clone(), response(READ_RESPONSE_LAST, 0, 45)]), bad);
    assert_eq!(ends(&[first.clone(), response(READ_RESPONSE_MIDDLE, 0, 44)]), bad);
    assert_eq!(ends(&[Answer { syndrome: 0x62, ..first.clone() }]), bad);
    assert_eq!(ends(&[first, response(READ_RESPONSE_LAST, 0, 44)]).0, Effect::Progress);
}

#[test]
fn rc_reference_read_waits_for_its_turn() {
    let (mut r, requests) = sent([read(1, 8), write(2, 8), read(3, 8), read(4, 8), write(5, 8)]);
    assert_eq!(requests.len(), 3, "two READs are outstanding, and nothing overtakes the third");
    assert_eq!(r.answer(&ack(0xff_ffff)), Effect::Stale);
    assert_eq!(r.send(), None);
    r.answer(&response(READ_RESPONSE_ONLY, PSN, 8));
    assert_eq!(r.send().map(|q| q.psn), Some(1));
    assert_eq!(r.send().map(|q| q.psn), Some(2), "a WRITE waits for nothing");
}

#[test]
fn rc_reference_read_retries_end() {
    let (mut r, _) = sent([write(1, 8), read(2, 600)]);
    let rnr = Answer::acknowledge(0xff_ffff, syndrome::RNR_NAK | 5, 0);
    assert_eq!(r.answer(&rnr), Effect::Waits(0xff_ffff, 5));
    r.send();
    r.answer(&response(READ_RESPONSE_FIRST, 0xff_ffff, 256));
    let rnr = Answer::acknowledge(0, syndrome::RNR_NAK | 5, 0);
    assert_eq!(r.answer(&rnr), Effect::Waits(0, 5), "there was progress");
    assert_eq!(r.answer(&rnr), Effect::Fatal(Status::RnrExceeded));
    assert_eq!(statuses(&r), [(1, Status::Ok), (2, Status::RnrExceeded)]);
    let (mut r, _) = sent([read(1, 600)]);
    r.timeout();
    r.timeout();
    r.answer(&response(READ_RESPONSE_FIRST, PSN, 256));
    assert_eq!(
        (r.timeout(), r.timeout()),
        (Effect::Rewound(0xff_ffff), Effect::Rewound(0xff_ffff))
    );
    assert_eq!(r.timeout(), Effect::Fatal(Status::RetryExceeded));
}

#[test]
fn rc_reference_read_never_has_more_than_half_of_the_psns_outstanding() {
    let (mut r, requests) = sent([read(1, 1 << 31), write(2, 8), read(3, 1 << 31)]);
    assert_eq!(requests.len(), 1, "2^31 bytes are 2^23 PSNs");
    r.answer(&response(READ_RESPONSE_FIRST, PSN, 256));
    assert_eq!(r.send().map(|q| q.opcode), Some(WRITE_ONLY));
    assert_eq!(r.send(), None);
}

/// Two hosts and a bad link.
struct Lab {
    rng: ChaCha8Rng,
    requester: Requester,
    responder: Responder,
    memory: Memory,
    requests: Vec<Request>,
    answers: Vec<Answer>,
}

fn pass<T: Clone>(rng: &mut ChaCha8Rng, queue: &mut Vec<T>, item: T) {
    let copies = [0, 1, 1, 1, 1, 1, 1, 1, 1, 2][rng.gen_range(0..10)];
    queue.extend(std::iter::repeat_n(item, copies));
}

/// Takes the oldest, seldom another one.
fn take<T>(rng: &mut ChaCha8Rng, queue: &mut Vec<T>) -> Option<T> {
    let at = if rng.gen_range(0..20) == 0 { rng.gen_range(0..4) } else { 0 };
    (!queue.is_empty()).then(|| queue.remove(at.min(queue.len() - 1)))
}

impl Lab {
    fn step(&mut self) {
        match self.rng.gen_range(0..3) {
            0 if self.requester.outstanding() < 16 => {
                if let Some(request) = self.requester.send() {
                    pass(&mut self.rng, &mut self.requests, request);
                }
            }
            1 => {
                let Some(request) = take(&mut self.rng, &mut self.requests) else { return };
                for answer in self.responder.request(&mut self.memory, &request).answers {
                    pass(&mut self.rng, &mut self.answers, answer);
                }
            }
            2 => {
                let Some(answer) = take(&mut self.rng, &mut self.answers) else { return };
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
fn rc_reference_reads_every_byte_over_a_bad_link() {
    for seed in 0..100 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let psn = 0xff_ffff - rng.gen_range(0..40);
        let source: Vec<u8> = (0..20_000).map(|_| rng.gen()).collect();
        let readable = Region { va: 0x1000, bytes: source, remote_read: true, ..Region::default() };
        let writable =
            Region { va: 0x1000, bytes: vec![0; 20_000], remote_write: true, ..Region::default() };
        let memory = Memory { regions: [(0x77, readable), (0x78, writable)].into() };
        let abilities = Abilities { write: true, read: true, send: false, atomic: false };
        let limits = Limits { ack_interval: 4, retry: 1_000_000, rnr_retry: None, reads: 3 };
        let (requests, answers) = (Vec::new(), Vec::new());
        let requester = Requester::new(MTU, psn, limits);
        let responder = Responder::new(MTU, psn, abilities);
        let mut lab = Lab { rng, requester, responder, memory, requests, answers };
        let mut expected = lab.memory.clone();
        let (mut works, mut at) = (Vec::new(), 0);
        for wr_id in 0..20 {
            let length = [0, 1, 256, lab.rng.gen_range(0..1000)][lab.rng.gen_range(0..4)];
            let work = Work { wr_id, va: 0x1000 + at as u64, signalled: true, ..Work::default() };
            works.push(if lab.rng.gen() {
                Work { read_bytes: Some(length as u32), rkey: 0x77, ..work }
            } else {
                let bytes: Vec<u8> = (0..length).map(|_| lab.rng.gen()).collect();
                let target = &mut expected.regions.get_mut(&0x78).expect("there").bytes;
                target[at..at + length].copy_from_slice(&bytes);
                Work { bytes, rkey: 0x78, ..work }
            });
            at += length;
        }
        works.iter().for_each(|work| lab.requester.post(work.clone()));
        let mut steps = 0;
        while !lab.requester.is_idle() {
            lab.step();
            steps += 1;
            assert!(steps < 1_000_000, "seed {seed}: stuck");
        }
        assert!(lab.memory == expected, "seed {seed}");
        let all_ok = |wr_id| Completion { wr_id, status: Status::Ok };
        let done: Vec<_> = lab.requester.completions.iter().copied().collect();
        assert_eq!(done, (0..20).map(all_ok).collect::<Vec<_>>(), "seed {seed}");
        let mut landings = lab.requester.landings.iter().peekable();
        for work in works.iter().filter(|w| w.read_bytes.is_some()) {
            let start = (work.va - 0x1000) as usize;
            let mut end = 0;
            while let Some(landing) = landings.next_if(|l| l.wr_id == work.wr_id) {
                assert_eq!(landing.offset as usize, end, "seed {seed}");
                let place = &expected.regions[&0x77].bytes[start + end..];
                assert_eq!(landing.bytes, place[..landing.bytes.len()], "seed {seed}");
                end += landing.bytes.len();
            }
            assert_eq!(Some(end as u32), work.read_bytes, "seed {seed}");
        }
        assert!(landings.next().is_none(), "seed {seed}: each byte once");
    }
}
