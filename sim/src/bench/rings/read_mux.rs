//! Bench of `read_mux`: two users of one read engine.

use crate::bench::random::sub;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::Stimulus;
use nic_models::golden::host::read_mux::{ReadMux, ReadMuxIn, ReadMuxOut};
use nic_models::ports::{keep, Data};
use nic_models::streams::{AxisUser, ReadCommand, ReadyPort, TreadyPort};
use nic_spec::config::NicConfig;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 20_000;

/// Two users whose commands carry who they are; an engine that answers with the command's address.
pub struct TwoReaders {
    beat_bytes: u16,
    rng: ChaCha8Rng,
    commands: [Source<ReadCommand>; 2],
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
            commands: [1, 2].map(|n| Source::new(sub(seed, n))),
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
                tuser: tlast && self.rng.gen_ratio(1, 4),
                tvalid: true,
            };
            self.beats.push_back(beat);
            self.expected[user].push_back(beat);
        }
    }

    fn check(&mut self, user: usize, tdata: Data, tlast: bool, tuser: bool) {
        let beat = self.expected[user].pop_front().expect("a beat of this user is on its way");
        let wanted = (beat.tdata, beat.tlast, beat.tuser);
        assert_eq!((tdata, tlast, tuser), wanted, "user {user}");
    }

    fn restart(&mut self) {
        self.commands.iter_mut().for_each(Source::reset);
        self.data.reset();
        self.beats.clear();
        self.expected = Default::default();
    }
}

impl Stimulus<ReadMux> for TwoReaders {
    fn next(&mut self, _: u64, out: &ReadMuxOut) -> ReadMuxIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let ready = [out.s_pkt.ready, out.s_wr.ready];
        let offers: [ReadCommand; 2] = std::array::from_fn(|user| {
            let bytes = match self.rng.gen_range(0..64) {
                0 => 4096,
                n => [0, 40, 64, self.rng.gen_range(1..80)][n % 4],
            };
            let addr = self.rng.gen::<u64>() & !1 | user as u64;
            let next = ReadCommand { valid: true, addr, bytes };
            self.commands[user].drive(ready[user], || Some(next)).unwrap_or_default()
        });
        let engine_ready = self.engine.drive();
        if out.m_cmd.valid && engine_ready {
            self.answer(&out.m_cmd);
        }
        let beats = &mut self.beats;
        let beat = self.data.drive(out.s_axis.tready, || beats.pop_front());
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
            s_pkt: offers[0],
            s_wr: offers[1],
            m_cmd: ReadyPort { ready: engine_ready },
            s_axis: beat.unwrap_or_default(),
            m_pkt: TreadyPort { tready: pkt },
            m_wr: TreadyPort { tready: wr },
        }
    }
}
