//! The message-level RoCEv2 reference against what Linux hosts sent, and against itself.

mod link;

use nic_models::reference::rc::check::{ResponderCheck, Wrong};
use nic_models::reference::rc::requester::{Effect, Limits, Requester, Status, Work};
use nic_models::reference::rc::responder::{Abilities, Responder, Verdict};
use nic_models::reference::rc::{
    admit, psn_add, psn_distance, Answer, Class, Memory, Region, Remote, Request, DEFAULT_PKEY,
};
use nic_sim::pcap;
use nic_sim::replay::conversation::{Conversation, Packet, Pair, Role};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;

const ALL: Abilities = Abilities { write: true, read: true, send: true, atomic: true };

const WRITES: Abilities = Abilities { write: true, read: false, send: false, atomic: false };

fn captures() -> Vec<String> {
    let folder = format!("{}/tests/data/rxe", env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(folder).expect("tests/data/rxe");
    let mut paths: Vec<_> =
        entries.map(|e| e.expect("entry").path().display().to_string()).collect();
    paths.sort();
    paths.retain(|path| path.ends_with(".pcap"));
    assert_eq!(paths.len(), 19);
    paths
}

/// RDMA WRITE only of one byte, tests/data/rxe/write_multi.pcap, record 200.
const WRITE: [u8; 78] = [
    0x52, 0x54, 0x00, 0x00, 0x00, 0x02, 0x52, 0x54, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x45, 0x00,
    0x00, 0x40, 0x6b, 0x79, 0x40, 0x00, 0x40, 0x11, 0xbb, 0x31, 0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00,
    0x00, 0x02, 0xc1, 0x21, 0x12, 0xb7, 0x00, 0x2c, 0x00, 0x00, 0x0a, 0x30, 0xff, 0xff, 0x00, 0x00,
    0x00, 0x11, 0x80, 0x00, 0x01, 0x45, 0x00, 0x00, 0x7f, 0x39, 0x53, 0xf8, 0xa0, 0x00, 0x00, 0x00,
    0x02, 0xdc, 0x00, 0x00, 0x00, 0x01, 0xf4, 0x00, 0x00, 0x00, 0x27, 0xbf, 0xf7, 0x42,
];

/// [`WRITE`] with other bytes 43 to 45 (flags with the transport version, P_Key) and their ICRC.
fn write_with(flags_and_pkey: [u8; 3], icrc: [u8; 4]) -> [u8; 78] {
    let mut frame = WRITE;
    frame[43..46].copy_from_slice(&flags_and_pkey);
    frame[74..].copy_from_slice(&icrc);
    frame
}

#[test]
fn rc_reference_is_silent_to_another_version_or_partition() {
    let rows = [
        ([0x30, 0xff, 0xff], [0x27, 0xbf, 0xf7, 0x42], true),
        ([0x31, 0xff, 0xff], [0xf6, 0x57, 0x10, 0x4c], false),
        ([0x3f, 0xff, 0xff], [0x98, 0x63, 0x7f, 0x1d], false),
        ([0x30, 0x12, 0x34], [0x66, 0x41, 0xff, 0xef], false),
        ([0x30, 0x7f, 0xff], [0xb5, 0x53, 0x74, 0x73], true),
        ([0x30, 0x80, 0x00], [0x79, 0xa4, 0x17, 0xd1], false),
    ];
    for (flags_and_pkey, icrc, is_ours) in rows {
        let frame = write_with(flags_and_pkey, icrc);
        let request = admit(&frame, DEFAULT_PKEY).map(|repr| Request::from(&repr));
        assert_eq!(request.is_some(), is_ours, "{flags_and_pkey:x?}");
        let Some(request) = request else { continue };
        let bytes = vec![0; 1];
        let region =
            Region { va: 0x7f39_53f8_a000, bytes, remote_write: true, ..Region::default() };
        let mut memory = Memory { regions: [(0x2dc, region)].into() };
        let outcome = Responder::new(1024, 0x145, WRITES).request(&mut memory, &request);
        assert_eq!(outcome.answers, [Answer::acknowledge(0x145, syndrome::ACK, 1)]);
        assert_eq!(memory.regions[&0x2dc].bytes, [0xf4]);
    }
    // Two limited members of a partition don't talk to each other.
    let limited = write_with(rows[4].0, rows[4].1);
    assert!(admit(&limited, 0x7fff).is_none() && admit(&WRITE, 0x7fff).is_some());
    assert!(admit(&WRITE[..77], DEFAULT_PKEY).is_none());
}

/// The parts of a capture that concern one connection.
struct Talk {
    requests: Vec<Request>,
    answers: Vec<Answer>,
    pair: Pair,
}

fn talks(path: &str) -> Vec<Talk> {
    let mut records = pcap::read(path).expect("capture");
    if path.ends_with("/bad_icrc.pcap") {
        // The ICRC of record 3 was spoiled after the capture: the real host took this frame, and
        // missed record 4.
        *records[2].data.last_mut().expect("a frame") ^= 0xff;
    }
    let conversation =
        Conversation::infer(&records, Role::Responder, None, &rdma_nic::gbe()).expect("capture");
    let frame = |p: &Packet| records[p.record].data.clone();
    let talk = |pair: &Pair| {
        let received = conversation.received().filter(|p| p.is_request() && p.qpn == pair.qpn);
        let request = |p| Request::from(&FrameRepr::parse(&frame(p), None).expect("parsed before"));
        let sent = conversation.sent().filter(|p| p.qpn == pair.remote_qpn);
        let answer = |p| Answer::from(&FrameRepr::parse(&frame(p), None).expect("parsed before"));
        let (requests, answers) = (received.map(request).collect(), sent.map(answer).collect());
        Talk { requests, answers, pair: pair.clone() }
    };
    conversation.pairs.iter().map(talk).collect()
}

fn atomic_remote(request: &Request) -> Option<Remote> {
    let is_atomic = [opcode::COMPARE_SWAP, opcode::FETCH_ADD].contains(&request.opcode);
    let p = request.payload.get(..12).filter(|_| is_atomic)?;
    let va = u64::from_be_bytes(p[..8].try_into().expect("8"));
    let rkey = u32::from_be_bytes(p[8..].try_into().expect("4"));
    Some(Remote { va, rkey, length_bytes: 8 })
}

impl Talk {
    fn is_refused(&self, request: &Request, code: u8) -> bool {
        self.answers.iter().any(|a| a.class() == Class::Nak(code) && a.psn == request.psn)
    }

    /// Regions around all that was not refused; READ responses tell what they held.
    fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        for request in &self.requests {
            let Some(remote) = request.remote.or(atomic_remote(request)) else { continue };
            if self.is_refused(request, syndrome::NAK_REMOTE_ACCESS) {
                continue;
            }
            let end = remote.va + u64::from(remote.length_bytes);
            let region = memory.regions.entry(remote.rkey).or_insert_with(|| Region {
                va: remote.va,
                bytes: Vec::new(),
                remote_write: true,
                remote_read: true,
                remote_atomic: true,
            });
            let last = (region.va + region.bytes.len() as u64).max(end);
            region.va = region.va.min(remote.va);
            region.bytes.resize((last - region.va) as usize, 0);
        }
        for request in self.requests.iter().filter(|r| r.opcode == opcode::READ_REQUEST) {
            let remote = request.remote.expect("READ");
            for answer in self.answers.iter().rev().filter(|a| a.is_read_response()) {
                let index = psn_distance(answer.psn, request.psn);
                let at = i64::from(index) * self.pair.mtu_bytes as i64;
                if index < 0 || at >= i64::from(remote.length_bytes) {
                    continue;
                }
                let region = memory.regions.get_mut(&remote.rkey).expect("made above");
                let start = (remote.va - region.va) as usize + at as usize;
                region.bytes[start..start + answer.payload.len()].copy_from_slice(&answer.payload);
            }
        }
        memory
    }

    /// Sets the word under the first atomic to what the real host found there: its software had
    /// written it.
    fn set_atomic_word(&self, memory: &mut Memory, request: &Request) {
        let first = self.requests.iter().find_map(|r| atomic_remote(r).map(|_| r.psn));
        let answer = self.answers.iter().find(|a| a.psn == request.psn);
        let (Some(remote), Some(answer)) = (atomic_remote(request), answer) else { return };
        let Some(region) = memory.regions.get_mut(&remote.rkey) else { return };
        if first == Some(request.psn) {
            let at = (remote.va - region.va) as usize;
            region.bytes[at..at + 8].copy_from_slice(&answer.payload);
            region.bytes[at..at + 8].reverse();
        }
    }

    /// Whether the real host had no receive buffer for the `nth` sending of `psn`.
    fn was_not_ready(&self, psn: u32, nth: usize) -> bool {
        let nth_answer = self.answers.iter().filter(|a| a.psn == psn).nth(nth);
        nth_answer.is_some_and(|a| matches!(a.class(), Class::Rnr(_)))
    }

    fn responder(&self) -> Responder {
        let reads_refused = self.requests.iter().any(|r| {
            r.opcode == opcode::READ_REQUEST && self.is_refused(r, syndrome::NAK_INVALID_REQUEST)
        });
        let abilities = Abilities { read: !reads_refused, ..ALL };
        let mut responder = Responder::new(self.pair.mtu_bytes, self.pair.first_psn, abilities);
        let rnr = self.answers.iter().find_map(|a| match a.class() {
            Class::Rnr(timer) => Some(timer),
            _ => None,
        });
        responder.rnr_timer = rnr.unwrap_or(0);
        responder
    }
}

/// `answer` without what a resumed READ may name differently.
fn essence(answer: &Answer) -> (u8, u32, u8, u32, Vec<u8>) {
    let Answer { opcode, psn, syndrome, msn, payload } = answer.clone();
    (opcode, psn, syndrome, msn, payload)
}

#[test]
fn rc_reference_answers_as_linux_does() {
    let mut naks = 0;
    for path in captures() {
        for talk in talks(&path) {
            let (mut memory, mut responder) = (talk.memory(), talk.responder());
            let (mut answers, mut psns) = (Vec::new(), Vec::new());
            for request in &talk.requests {
                let nth = psns.iter().filter(|psn| **psn == request.psn).count();
                let is_ready = !talk.was_not_ready(request.psn, nth);
                psns.push(request.psn);
                talk.set_atomic_word(&mut memory, request);
                responder.receive_buffers = if is_ready { None } else { Some(0) };
                answers.extend(responder.request(&mut memory, request).answers);
            }
            let real: Vec<_> = talk.answers.iter().map(essence).collect();
            let ours: Vec<_> = answers.iter().map(essence).collect();
            let header = |e: &(u8, u32, u8, u32, Vec<u8>)| (e.0, e.1, e.2, e.3, e.4.len());
            let at = real.iter().zip(&ours).position(|(a, b)| a != b);
            if let Some(at) = at {
                panic!("{path}: answer {at}: {:?}, not {:?}", header(&ours[at]), header(&real[at]));
            }
            assert_eq!(real.len(), ours.len(), "{path}");
            naks += answers.iter().filter(|a| matches!(a.class(), Class::Nak(_))).count();
        }
    }
    assert!(naks >= 6, "only {naks} NAKs in all captures");
}

#[test]
fn rc_reference_leaves_memory_as_the_requester_wrote_it() {
    let mut written_bytes = 0;
    for path in captures() {
        for talk in talks(&path) {
            let (mut memory, mut responder) = (talk.memory(), talk.responder());
            // What stands at each address according to the requester.
            let mut expected = memory.clone();
            let mut message = (0, Remote::default());
            for request in &talk.requests {
                let outcome = responder.request(&mut memory, request);
                if let Some(remote) = request.remote {
                    message = (request.psn, remote);
                }
                let is_write =
                    (opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMM).contains(&request.opcode);
                if !is_write || outcome.verdict != Verdict::Accepted {
                    continue;
                }
                let (first_psn, remote) = message;
                let index = psn_distance(request.psn, first_psn) as usize;
                let region = expected.regions.get_mut(&remote.rkey).expect("accepted");
                let at = (remote.va - region.va) as usize + index * talk.pair.mtu_bytes;
                region.bytes[at..at + request.payload.len()].copy_from_slice(&request.payload);
                written_bytes += request.payload.len();
            }
            if !path.ends_with("send_imm_atomic.pcap") {
                assert!(memory == expected, "{path}");
            }
        }
    }
    assert!(written_bytes > 150_000, "{written_bytes} bytes written in all captures");
}

/// Work requests that a captured requester had: of each PSN the packet that was sent first.
fn works(requests: &[Request], mtu_bytes: u32) -> Vec<Work> {
    let mut works: Vec<Work> = Vec::new();
    let mut next_psn = requests[0].psn;
    for request in requests {
        if request.psn != next_psn {
            continue;
        }
        next_psn = psn_add(next_psn, 1);
        if let Some(remote) = request.remote {
            let wr_id = works.len() as u32;
            let Remote { va, rkey, .. } = remote;
            works.push(Work { wr_id, va, rkey, signalled: true, ..Work::default() });
        }
        let work = works.last_mut().expect("a message begins with a RETH");
        work.bytes.extend(&request.payload);
        work.imm = work.imm.or(request.imm);
        if request.opcode == opcode::READ_REQUEST {
            let bytes = request.remote.expect("READ").length_bytes;
            work.read_bytes = Some(bytes);
            next_psn = psn_add(next_psn, bytes.div_ceil(mtu_bytes).max(1) - 1);
        }
    }
    works
}

#[test]
fn rc_reference_sends_as_linux_does() {
    let (mut rewinds, mut read_bytes) = (0, 0);
    for path in captures() {
        let records = pcap::read(&path).expect("capture");
        let c = Conversation::infer(&records, Role::Requester, None, &rdma_nic::gbe());
        let c = c.expect("capture");
        let is_known = |p: &Packet| p.is_write() || p.opcode == opcode::READ_REQUEST;
        if c.packets.iter().any(|p| p.is_request() && !is_known(p)) {
            continue;
        }
        let frame = |p: &Packet| records[p.record].data.clone();
        let request = |p| Request::from(&FrameRepr::parse(&frame(p), None).expect("parsed"));
        let requests: Vec<_> = c.packets.iter().filter(|p| p.is_request()).map(request).collect();
        if path.ends_with("bad_icrc.pcap") {
            // Two packets are unreadable on the way out; the rest of this capture is as others.
            continue;
        }
        let limits = Limits { ack_interval: 1 << 20, retry: 7, rnr_retry: None, reads: 16 };
        let mut requester = Requester::new(c.pairs[0].mtu_bytes, c.pairs[0].first_psn, limits);
        let mtu_bytes = c.pairs[0].mtu_bytes as u32;
        works(&requests, mtu_bytes).into_iter().for_each(|work| requester.post(work));
        let mut resume_psn = None;
        for packet in &c.packets {
            if !packet.is_request() {
                // An answer behind which its packets are sent again did not arrive in time.
                let mut later = c.packets.iter().filter(|p| p.record > packet.record);
                let is_done = packet.syndrome.is_none_or(|s| s == syndrome::ACK);
                let done = i32::from(is_done) - 1;
                if later.any(|p| p.is_request() && psn_distance(p.psn, packet.psn) <= done) {
                    continue;
                }
                let answer = Answer::from(&FrameRepr::parse(&frame(packet), None).expect("ok"));
                if let Effect::Rewound(psn) = requester.answer(&answer) {
                    (resume_psn, rewinds) = (Some(psn), rewinds + 1);
                }
                continue;
            }
            let real = request(packet);
            let mut ours = requester.packet(real.psn).unwrap_or_else(|| panic!("{path}"));
            // rxe sets AckReq at intervals of its own.
            if matches!(ours.opcode, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE) {
                ours.ack_req = real.ack_req;
            }
            assert_eq!(ours, real, "{path}: PSN {}", real.psn);
            if let Some(psn) = resume_psn.take() {
                assert_eq!(real.psn, psn, "{path}: resumes at the NAK's PSN");
            }
            while psn_distance(real.psn, requester.send_psn()) >= 0 {
                requester.send();
            }
        }
        let status = match path.rsplit('/').next().expect("a name") {
            "nak_bad_rkey_write.pcap" | "nak_bad_range_read.pcap" => Status::RemoteAccess,
            "nak_no_access_read.pcap" => Status::RemoteInvalidRequest,
            _ => Status::Ok,
        };
        assert!(requester.completions.iter().all(|c| c.status == status), "{path}");
        assert!(!requester.completions.is_empty() && requester.is_idle(), "{path}");
        read_bytes += requester.landings.iter().map(|l| l.bytes.len()).sum::<usize>();
    }
    assert!(rewinds >= 2, "{rewinds} rewinds");
    assert!(read_bytes > 10_000, "{read_bytes} bytes read in all captures");
}

const MTU: usize = 256;

fn region(bytes: usize) -> Memory {
    let region =
        Region { va: 0x1000, bytes: vec![0; bytes], remote_write: true, ..Region::default() };
    Memory { regions: [(0x77, region)].into() }
}

fn write_request(code: u8, psn: u32, length_bytes: u32, payload: usize) -> Request {
    let has_reth = opcode::has_reth(code);
    let remote = Remote { va: 0x1000, rkey: 0x77, length_bytes };
    Request {
        opcode: code,
        psn,
        ack_req: true,
        remote: has_reth.then_some(remote),
        imm: opcode::has_immdt(code).then_some(9),
        payload: vec![0xa5; payload],
        ..Request::default()
    }
}

/// Verdict of the last of some requests.
fn verdict(requests: &[Request]) -> Verdict {
    let (mut memory, mut responder) = (region(4096), Responder::new(MTU, 0, WRITES));
    let all = requests.iter().map(|r| responder.request(&mut memory, r).verdict);
    all.last().expect("a request")
}

#[test]
fn rc_reference_refuses_what_the_standard_refuses() {
    use opcode::*;
    let invalid = Verdict::Refused(syndrome::NAK_INVALID_REQUEST);
    let access = Verdict::Refused(syndrome::NAK_REMOTE_ACCESS);
    let w = write_request;
    assert_eq!(verdict(&[w(WRITE_ONLY, 0, 256, 256)]), Verdict::Accepted);
    assert_eq!(verdict(&[w(WRITE_FIRST, 0, 300, 256), w(WRITE_LAST, 1, 0, 44)]), Verdict::Accepted);
    assert_eq!(verdict(&[w(WRITE_MIDDLE, 0, 0, 256)]), invalid, "no message is under way");
    assert_eq!(verdict(&[w(WRITE_FIRST, 0, 300, 256), w(WRITE_ONLY, 1, 1, 1)]), invalid);
    assert_eq!(verdict(&[w(WRITE_FIRST, 0, 300, 255)]), invalid, "a first packet is full");
    assert_eq!(verdict(&[w(WRITE_FIRST, 0, 256, 256)]), invalid, "then it is the only one");
    assert_eq!(verdict(&[w(WRITE_ONLY, 0, 255, 256)]), invalid, "more than announced");
    assert_eq!(verdict(&[w(WRITE_ONLY, 0, 257, 256)]), invalid, "less than announced");
    assert_eq!(verdict(&[w(WRITE_FIRST, 0, 300, 256), w(WRITE_LAST, 1, 0, 0)]), invalid);
    assert_eq!(verdict(&[w(READ_REQUEST, 0, 8, 0)]), invalid, "not supported");
    assert_eq!(verdict(&[w(SEND_ONLY, 0, 0, 8)]), invalid, "not supported");
    assert_eq!(verdict(&[w(WRITE_ONLY, 0, 0x8000_0001, 8)]), invalid, "longer than 2^31");
    let mut other_key = w(WRITE_ONLY, 0, 8, 8);
    other_key.remote.as_mut().expect("RETH").rkey = 0x78;
    assert_eq!(verdict(&[other_key]), access);
    let mut outside = w(WRITE_FIRST, 0, 300, 256);
    outside.remote.as_mut().expect("RETH").va = 0x1000 + 4096 - 299;
    assert_eq!(verdict(&[outside]), access, "known from the RETH, before the first byte");
    let mut nowhere = w(WRITE_ONLY, 0, 0, 0);
    nowhere.remote.as_mut().expect("RETH").rkey = 0;
    assert_eq!(verdict(&[nowhere]), Verdict::Accepted, "no byte needs no region");
}

#[test]
fn rc_reference_sends_one_nak_a_gap() {
    let (mut memory, mut responder) = (region(4096), Responder::new(MTU, 0xff_ffff, WRITES));
    let mut request = |psn: u32| {
        let request = write_request(opcode::WRITE_ONLY, psn & 0xff_ffff, 8, 8);
        let outcome = responder.request(&mut memory, &request);
        outcome.answers.iter().map(|a| (a.psn, a.syndrome, a.msn)).collect::<Vec<_>>()
    };
    assert_eq!(request(0xff_ffff), [(0xff_ffff, syndrome::ACK, 1)]);
    assert_eq!(request(1), [(0, syndrome::NAK_SEQUENCE, 1)]);
    assert_eq!(request(2), []);
    assert_eq!(request(0xff_ffff), [(0xff_ffff, syndrome::ACK, 1)], "a duplicate");
    assert_eq!(request(1), [], "still the same gap");
    assert_eq!(request(0), [(0, syndrome::ACK, 2)], "PSNs wrap");
    assert_eq!(request(2), [(1, syndrome::NAK_SEQUENCE, 2)], "the next gap");
}

#[test]
fn rc_reference_waits_for_room() {
    let (mut memory, mut responder) = (region(4096), Responder::new(MTU, 0, WRITES));
    responder.receive_buffers = Some(0);
    responder.rnr_timer = 12;
    let request = write_request(opcode::WRITE_ONLY_IMM, 0, 8, 8);
    let outcome = responder.request(&mut memory, &request);
    assert_eq!(outcome.verdict, Verdict::NotReady);
    assert_eq!(outcome.answers, [Answer::acknowledge(0, 0x2c, 0)]);
    assert_eq!(memory, region(4096), "nothing is written");
    responder.receive_buffers = Some(1);
    let outcome = responder.request(&mut memory, &request);
    assert_eq!((outcome.verdict, outcome.received.is_some()), (Verdict::Accepted, true));
    assert_eq!(responder.receive_buffers, Some(0));
}

#[test]
fn rc_check_accepts_merged_acks_and_nothing_else() {
    let check = || {
        let responder = Responder::new(MTU, 0, WRITES);
        let mut check = ResponderCheck::new(responder, region(4096));
        (0..3).for_each(|psn| {
            check.request(&write_request(opcode::WRITE_ONLY, psn, 8, 8));
        });
        check
    };
    let ack = |psn, msn| Answer::acknowledge(psn, syndrome::ACK, msn);
    let nak = Answer::acknowledge(3, syndrome::NAK_SEQUENCE, 3);
    let mut merged = check();
    assert_eq!(merged.finish(), Err(Wrong::MissingAck(2)));
    assert_eq!(merged.answer(&ack(2, 3)), Ok(()));
    assert_eq!(merged.finish(), Ok(()));
    assert_eq!(merged.answer(&ack(1, 2)), Err(Wrong::Ack(ack(1, 2))), "never backwards");
    assert_eq!(check().answer(&ack(2, 2)), Err(Wrong::Ack(ack(2, 2))), "wrong MSN");
    assert_eq!(check().answer(&ack(3, 4)), Err(Wrong::Ack(ack(3, 4))), "not received");
    assert_eq!(check().answer(&nak), Err(Wrong::Unexpected(nak.clone())));
    let mut gap = check();
    gap.request(&write_request(opcode::WRITE_ONLY, 5, 8, 8));
    assert_eq!(gap.finish(), Err(Wrong::Missing(vec![nak.clone()])));
    assert_eq!(gap.answer(&nak), Ok(()), "and acknowledges what came before");
    assert_eq!(gap.finish(), Ok(()));
    assert_eq!(gap.answer(&nak), Err(Wrong::Unexpected(nak)), "one a gap");
}

fn read_request(psn: u32, at: u64, length_bytes: u32) -> Request {
    let remote = Some(Remote { va: 0x1000 + at, rkey: 0x77, length_bytes });
    Request { opcode: opcode::READ_REQUEST, psn, ack_req: true, remote, ..Request::default() }
}

/// A connection of which this much may be read.
fn readable() -> (Memory, Responder) {
    let mut memory = region(4096);
    let target = memory.regions.get_mut(&0x77).expect("the region");
    target.remote_read = true;
    target.bytes.iter_mut().enumerate().for_each(|(n, byte)| *byte = ((n * 7) >> 4) as u8);
    (memory, Responder::new(MTU, 0, ALL))
}

#[test]
fn rc_reference_refuses_reads_that_the_standard_refuses() {
    let invalid = Verdict::Refused(syndrome::NAK_INVALID_REQUEST);
    let access = Verdict::Refused(syndrome::NAK_REMOTE_ACCESS);
    let good = read_request(0, 8, 600);
    let with_payload = Request { payload: vec![1], ..good.clone() };
    let cases = [
        (good.clone(), Verdict::Accepted),
        (read_request(0, 4096, 0), Verdict::Accepted),
        (read_request(0, 4096, 1), access),
        (read_request(0, 8, 4089), access),
        (read_request(0, 0, (1 << 31) + 1), invalid),
        (with_payload.clone(), invalid),
    ];
    for (request, verdict) in cases {
        let (mut memory, mut responder) = readable();
        assert_eq!(responder.request(&mut memory, &request).verdict, verdict, "{request:?}");
    }
    // Again, but not beyond what was asked for.
    let (mut memory, mut responder) = readable();
    responder.request(&mut memory, &good);
    assert_eq!((responder.expected_psn(), responder.msn()), (3, 1));
    let mut answers = |request: &Request| responder.request(&mut memory, request).answers.len();
    let counts = [
        (good, 3),
        (read_request(1, 264, 344), 2),
        (read_request(1, 264, 513), 0),
        (read_request(2, 4090, 8), 0),
        (with_payload, 0),
    ];
    counts.iter().for_each(|(request, count)| assert_eq!(answers(request), *count, "{request:?}"));
}

#[test]
fn rc_check_judges_read_responses() {
    let start = || {
        let (memory, responder) = readable();
        let mut check = ResponderCheck::new(responder, memory);
        let answers = check.request(&read_request(0, 8, 600)).answers;
        let acks = check.request(&write_request(opcode::WRITE_ONLY, 3, 8, 8)).answers;
        (check, answers, acks[0].clone())
    };
    let (mut check, answers, ack) = start();
    assert_eq!(check.answer(&ack), Err(Wrong::Overtakes(ack.clone())));
    answers.iter().for_each(|a| assert_eq!(check.answer(a), Ok(())));
    assert_eq!(check.answer(&ack), Ok(()));
    assert_eq!((check.finish(), check.response_count()), (Ok(()), 3));
    assert_eq!(check.answer(&answers[0]), Err(Wrong::Unexpected(answers[0].clone())), "asked once");
    // The first response only.
    let (mut check, answers, _) = start();
    assert_eq!(check.answer(&answers[0]), Ok(()));
    assert_eq!(check.finish(), Err(Wrong::Missing(answers[1..].to_vec())));
    let first = &answers[0];
    let wrong = [
        Answer { opcode: opcode::READ_RESPONSE_MIDDLE, ..answers[0].clone() },
        Answer { msn: 2, ..first.clone() },
        Answer { payload: vec![0; MTU], ..first.clone() },
        Answer { psn: 3, ..first.clone() },
        answers[1].clone(),
    ];
    for answer in wrong {
        let (mut check, ..) = start();
        assert_eq!(check.answer(&answer), Err(Wrong::Unexpected(answer.clone())));
    }
    // Asked for again in the middle: from there on, and no more often than that.
    let (mut check, answers, ack) = start();
    let resumed = check.request(&read_request(1, 264, 344)).answers;
    assert_eq!(resumed[0].opcode, opcode::READ_RESPONSE_MIDDLE);
    let sent = [&answers[0], &answers[1], &resumed[0], &resumed[1]];
    sent.iter().for_each(|a| assert_eq!(check.answer(a), Ok(())));
    assert_eq!(check.answer(&resumed[0]), Err(Wrong::Unexpected(resumed[0].clone())));
    assert_eq!(check.answer(&ack), Ok(()));
}
