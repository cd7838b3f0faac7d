//! Bench of `read_mux`: two users of one read engine.

use crate::bench::random::sub;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::Stimulus;
use nic_models::golden::host::read_mux::{ReadMux, ReadMuxIn, ReadMuxOut};
use nic_models::ports::{keep, Data};
use nic_models::streams::{AxisUser, PayloadSource, ReadCommand, ReadyPort, TreadyPort};
use nic_spec::config::NicConfig;
use nic_spec::rows::INLINE_BYTES_MAX;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 20_000;

/// Two users whose commands carry who they are, one of which also brings payload; an engine that
/// answers with the command's address.
pub struct TwoReaders {
    beat_bytes: u16,
    rng: ChaCha8Rng,
    packets: Source<PayloadSource>,
    requests: Source<ReadCommand>,
    engine: Sink,
    data: Source<AxisUser>,
    sinks: [Sink; 2],
    beats: VecDeque<AxisUser>,
    /// Beats that each user waits for.
    expected: [VecDeque<AxisUser>; 2],
}

impl TwoReaders {
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        Self {
            beat_bytes: config.data_bytes() as u16,
            rng: sub(seed, 0),
            packets: Source::new(sub(seed, 1)),
            requests: Source::new(sub(seed, 2)),
            engine: Sink::new(sub(seed, 3)),
            data: Source::new(sub(seed, 4)),
            sinks: [5, 6].map(|n| Sink::new(sub(seed, n))),
            beats: VecDeque::new(),
            expected: Default::default(),
        }
    }

    /// A taken command: its beats will come and go to its user.
    fn answer(&mut self, command: &ReadCommand) {
        let user = (command.addr & 1) as usize;
        let beat_count = command.bytes.div_ceil(self.beat_bytes);
        for n in 0..beat_count {
            let tlast = n + 1 == beat_count;
            let bytes = self.beat_bytes.min(command.bytes - n * self.beat_bytes);
            let mut data = Data::from(command.addr.wrapping_add(u64::from(n) << 32)).bytes();
            let beat_bytes = usize::from(self.beat_bytes);
            self.rng.fill_bytes(&mut data[beat_bytes.min(8)..beat_bytes]);
            let beat = AxisUser {
                tdata: Data::of(&data),
                tkeep: keep(bytes.into()),
                tlast,
                tuser: self.rng.gen_ratio(1, 4),
                tvalid: true,
            };
            self.beats.push_back(beat);
            // A packet is bad by its last beat alone.
            let tuser = beat.tuser && (tlast || user == 1);
            self.expected[user].push_back(AxisUser { tuser, ..beat });
        }
    }

    /// A packet brings its payload.
    fn bring(&mut self, packet: &PayloadSource) {
        let payload = packet.inline_bytes();
        let beat_bytes = usize::from(self.beat_bytes);
        let bytes = usize::from(packet.bytes);
        for at in (0..bytes).step_by(beat_bytes) {
            let left = bytes - at;
            self.expected[0].push_back(AxisUser {
                tdata: Data::of(&payload[at..payload.len().min(at + beat_bytes)]),
                tkeep: keep(left.min(beat_bytes)),
                tlast: left <= beat_bytes,
                tuser: false,
                tvalid: true,
            });
        }
    }

    fn check(&mut self, user: usize, tdata: Data, tlast: bool, tuser: bool) {
        let beat = self.expected[user].pop_front().expect("a beat of this user is on its way");
        let wanted = (beat.tdata, beat.tlast, beat.tuser);
        assert_eq!((tdata, tlast, tuser), wanted, "user {user}");
    }

    fn restart(&mut self) {
        self.packets.reset();
        self.requests.reset();
        self.data.reset();
        self.beats.clear();
        self.expected = Default::default();
    }
}

impl Stimulus<ReadMux> for TwoReaders {
    fn next(&mut self, _: u64, out: &ReadMuxOut) -> ReadMuxIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let rng = &mut self.rng;
        let mut command = |user: u64| {
            let bytes = match rng.gen_range(0..64) {
                0 => 4096,
                n => [0, 64, 256, rng.gen_range(1..80)][n % 4],
            };
            ReadCommand { valid: true, addr: rng.gen::<u64>() & !1 | user, bytes }
        };
        let (packet, request) = (command(0), command(1));
        let ReadCommand { valid, addr, bytes } = packet;
        let mut packet =
            PayloadSource { valid, addr, bytes, is_inline: false, inline_rest: rng.gen() };
        if rng.gen_ratio(1, 3) {
            packet.is_inline = true;
            packet.bytes = rng.gen_range(1..=INLINE_BYTES_MAX as u16);
        }
        let s_pkt = self.packets.drive(out.s_pkt.ready, || Some(packet)).unwrap_or_default();
        let s_wr = self.requests.drive(out.s_wr.ready, || Some(request)).unwrap_or_default();
        let engine_ready = self.engine.drive();
        if out.m_cmd.valid && engine_ready {
            self.answer(&out.m_cmd);
        }
        let beats = &mut self.beats;
        let beat = self.data.drive(out.s_axis.tready, || beats.pop_front());
        if s_pkt.valid && s_pkt.is_inline && out.s_pkt.ready {
            self.bring(&s_pkt);
        }
        let [pkt, wr] = [0, 1].map(|n| self.sinks[n].drive());
        if out.m_pkt.tvalid && pkt {
            self.check(0, out.m_pkt.tdata, out.m_pkt.tlast, out.m_pkt.tuser);
        }
        if out.m_wr.tvalid && wr {
            self.check(1, out.m_wr.tdata, out.m_wr.tlast, out.m_wr.tuser);
        }
        if reset {
            self.restart();
        }
        ReadMuxIn {
            reset,
            s_pkt,
            s_wr,
            m_cmd: ReadyPort { ready: engine_ready },
            s_axis: beat.unwrap_or_default(),
            m_pkt: TreadyPort { tready: pkt },
            m_wr: TreadyPort { tready: wr },
        }
    }
}
