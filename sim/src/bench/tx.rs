//! Benches: transmit path.

use super::random::Lengths;
use crate::env::stream::{Beat, FrameSource, Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::tx::pipe::{TxPipe, TxPipeIn, TxPipeOut};
use nic_models::ports::{Data, Wide};
use nic_models::streams::{Ack, AnyPacket, FeedbackPacket, Telemetry, TreadyPort};
use nic_spec::config::NicConfig;
use nic_spec::rows::{QpRow, Row};
use nic_spec::wire::bth::opcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (golden, stimulus) = (config.clone(), config.clone());
    vec![Bench::new(
        "tx_pipe",
        config,
        move || TxPipe::new(&golden),
        move |seed| TxStimulus::new(&stimulus, seed),
    )]
}

/// Queue pairs of the traffic; of more, every so many-th is used.
const ROWS_MAX: usize = 64;

/// Packets with their payload, ACKs, host frames and rows.
#[derive(Debug)]
struct Traffic {
    rng: ChaCha8Rng,
    flow_count: usize,
    /// A flow and the next one that is used.
    stride: usize,
    rows_left: usize,
    lengths: Lengths,
}

impl Traffic {
    fn row(&mut self) -> Option<(u8, u16, Row)> {
        let rng = &mut self.rng;
        // Every flow has a row before it has traffic: rows are random after power-up.
        let is_first = self.rows_left > 0;
        if is_first {
            self.rows_left -= 1;
        } else if rng.gen_range(0..500) > 0 {
            return None;
        }
        let qp = QpRow {
            valid: rng.gen(),
            telemetry: rng.gen(),
            dscp: rng.gen_range(0..64),
            remote_qpn: rng.gen_range(0..1 << 24),
            remote_ip: rng.gen(),
            remote_mac: rng.gen_range(0..1 << 48),
            udp_source_port: rng.gen(),
            qpn: rng.gen_range(0..1 << 24),
            ..QpRow::default()
        };
        let table = if is_first || rng.gen() { 0 } else { rng.gen_range(1..4) };
        let row = qp.to_row();
        let index = if is_first { (self.rows_left * self.stride) as u16 } else { self.flow() };
        Some((table, index, row))
    }

    /// A flow that has a row.
    fn flow(&mut self) -> u16 {
        (self.rng.gen_range(0..self.flow_count / self.stride) * self.stride) as u16
    }

    /// A packet, its payload, and whether memory fails.
    fn packet(&mut self) -> (AnyPacket, Vec<u8>, bool) {
        let flow = self.flow();
        let rng = &mut self.rng;
        let opcode = match rng.gen_range(0..16) {
            0 => opcode::TELEMETRY_PROBE,
            1 => opcode::TELEMETRY_WINDOW,
            _ => rng.gen_range(opcode::WRITE_FIRST..=opcode::READ_RESPONSE_ONLY),
        };
        // All lengths come before others come oftener.
        let is_swept = rng.gen_range(0..8) > if self.lengths.is_through() { 4 } else { 0 };
        let length = match rng.gen_range(0..6) {
            _ if opcode == opcode::READ_REQUEST || opcode::is_telemetry_only(opcode) => 0,
            _ if is_swept => self.lengths.take() as usize,
            0 => rng.gen_range(1..9),
            1 => 256 << rng.gen_range(0..5),
            2 => rng.gen_range(1..4097),
            3 if opcode >= opcode::WRITE_ONLY && opcode != opcode::READ_RESPONSE_MIDDLE => 0,
            _ => rng.gen_range(1..300),
        };
        let payload: Vec<u8> = (0..length).map(|_| rng.gen()).collect();
        let packet = AnyPacket {
            valid: true,
            flow: flow + if rng.gen() { self.flow_count as u16 } else { 0 },
            opcode,
            psn: rng.gen_range(0..1 << 24),
            ack_req: rng.gen(),
            solicited: rng.gen(),
            payload_bytes: length as u16,
            va: rng.gen(),
            rkey: rng.gen(),
            dma_len: rng.gen(),
            imm: rng.gen(),
            syndrome: rng.gen(),
            msn: rng.gen_range(0..1 << 24),
            mark: rng.gen_range(0..16),
            bare: rng.gen_ratio(1, 4),
        };
        // A frame that fails would not show its length.
        let is_error = !is_swept && rng.gen_ratio(1, 6);
        (packet, payload, is_error)
    }

    fn ack(&mut self) -> Ack {
        let flow = self.flow();
        let rng = &mut self.rng;
        Ack {
            valid: true,
            flow,
            syndrome: rng.gen(),
            msn: rng.gen_range(0..1 << 24),
            psn: rng.gen_range(0..1 << 24),
            tel: Telemetry {
                valid: rng.gen(),
                hops: rng.gen_range(0..7),
                path: rng.gen_range(0..1 << 12),
                hop: rng.gen(),
            },
        }
    }

    fn feedback(&mut self) -> FeedbackPacket {
        let Ack { valid, flow, psn, tel, .. } = self.ack();
        FeedbackPacket { valid, flow, psn, answer: self.rng.gen(), tel }
    }

    fn host_frame(&mut self) -> Vec<u8> {
        let rng = &mut self.rng;
        let length = match rng.gen_range(0..40) {
            0 => rng.gen_range(4215..4240),
            1 => rng.gen_range(1..20),
            _ => rng.gen_range(60..400),
        };
        (0..length).map(|_| rng.gen()).collect()
    }
}

/// Random traffic on all sinks, with stalls; configuration is constant.
#[derive(Debug)]
pub struct TxStimulus {
    traffic: Traffic,
    config: TxPipeIn,
    beat_bytes: usize,
    s_cfg: Source<(u8, u16, Row)>,
    s_pkt: Source<AnyPacket>,
    s_ack: Source<Ack>,
    s_feedback: Source<FeedbackPacket>,
    s_data: FrameSource,
    s_host: FrameSource,
    m_axis: Sink,
    m_fail: Sink,
    last_row: (u8, u16, Row),
    /// Chances of data, ACKs, host frames and telemetry responses, in 256ths, of this phase.
    chances: [u32; 4],
    /// Host memory always answers, nothing stalls but the MAC.
    is_prompt: bool,
}

impl TxStimulus {
    /// A stimulus of `config`'s sizes.
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut fork = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (s_cfg, s_pkt, s_ack) = (Source::new(fork()), Source::new(fork()), Source::new(fork()));
        let beat_bytes = config.data_bytes();
        let mut frames = || FrameSource::new(fork(), beat_bytes);
        let (s_data, s_host) = (frames(), frames());
        let (m_axis, m_fail) = (Sink::new(fork()), Sink::new(fork()));
        let s_feedback = Source::new(fork());
        let is_prompt = seed % 4 == 3;
        // Telemetry in data and in echoes: each form in one of seven seeds, none in seed 7.
        let (tel_data, tel_echo) = match seed % 7 {
            0 => (0, u8::from(seed.is_multiple_of(14))),
            form @ 1..=2 => (form as u8, form as u8),
            3 => (3, 1),
            4 => (6, 1),
            5 => (4, 1),
            _ => (5, 1),
        };
        let constants = TxPipeIn {
            cfg_local_mac: rng.gen_range(0..1 << 48),
            cfg_local_ip: rng.gen(),
            cfg_pkey: rng.gen(),
            cfg_ttl: rng.gen(),
            cfg_tel_data: tel_data,
            cfg_tel_echo: tel_echo,
            cfg_tel_port: rng.gen(),
            cfg_tel_time_binary: seed % 14 > 6,
            cfg_tel_dscp: rng.gen_range(0..64),
            cfg_tel_echo_dscp: rng.gen_range(0..64),
            cfg_by_time: seed % 3 == 1,
            ..TxPipeIn::default()
        };
        Self {
            traffic: Traffic {
                rng,
                flow_count: config.flow_count,
                stride: config.flow_count.div_ceil(ROWS_MAX),
                rows_left: config.flow_count.min(ROWS_MAX),
                lengths: Lengths::new(seed),
            },
            config: constants,
            beat_bytes,
            s_cfg,
            s_pkt,
            s_ack,
            s_feedback,
            s_data: if is_prompt { s_data.prompt() } else { s_data },
            s_host,
            m_axis,
            m_fail,
            last_row: (0, 0, [0; 16]),
            chances: [256; 4],
            is_prompt,
        }
    }

    fn next_packet(traffic: &mut Traffic, s_data: &mut FrameSource) -> AnyPacket {
        let (packet, payload, is_error) = traffic.packet();
        s_data.push(&payload, is_error);
        packet
    }
}

impl Stimulus<TxPipe> for TxStimulus {
    fn next(&mut self, cycle: u64, out: &TxPipeOut) -> TxPipeIn {
        let mut i = self.config;
        let (traffic, s_data) = (&mut self.traffic, &mut self.s_data);
        if cycle.is_multiple_of(3000) {
            self.chances = core::array::from_fn(|_| [0, 4, 256, 256][traffic.rng.gen_range(0..4)]);
            if self.is_prompt || traffic.rng.gen() {
                self.chances[0] = 256;
            }
        }
        let row = self.s_cfg.drive(out.s_cfg.ready, || traffic.row());
        i.s_cfg.valid = row.is_some();
        self.last_row = row.unwrap_or(self.last_row);
        (i.cfg_table, i.cfg_index) = (self.last_row.0, self.last_row.1);
        let row = &self.last_row.2;
        i.cfg_row =
            Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32));
        let is_set_up = traffic.rows_left == 0;
        let [data, ack, host, feedback] =
            self.chances.map(|c| is_set_up && traffic.rng.gen_range(0..256) < c);
        let packet =
            self.s_pkt.drive(out.s_pkt.ready, || data.then(|| Self::next_packet(traffic, s_data)));
        i.s_pkt = packet.unwrap_or_default();
        let ack = self.s_ack.drive(out.s_ack.ready, || ack.then(|| traffic.ack()));
        i.s_ack = ack.unwrap_or_default();
        let ready = out.s_feedback.ready;
        let feedback = self.s_feedback.drive(ready, || feedback.then(|| traffic.feedback()));
        i.s_feedback = feedback.unwrap_or_default();
        // Garbage behind the kept bytes, as a DMA engine may leave it.
        i.s_data = Beat::offered_user(s_data.drive(out.s_data.tready));
        let mut bytes = i.s_data.tdata.bytes();
        traffic.rng.fill(&mut bytes[i.s_data.tkeep.count_ones() as usize..self.beat_bytes]);
        i.s_data.tdata = Data::of(&bytes[..self.beat_bytes]);
        if host && self.s_host.pending_beats() == 0 {
            self.s_host.push(&traffic.host_frame(), false);
        }
        i.s_host = Beat::offered(self.s_host.drive(out.s_host.tready));
        // A MAC that pauses for so long that the frame FIFO fills up.
        let is_paused = !self.is_prompt && (3000..7000).contains(&(cycle % 16_384));
        let tready = (self.m_axis.drive() && !is_paused) || self.is_prompt;
        i.m_axis = TreadyPort { tready };
        i.m_fail.ready = self.m_fail.drive();
        i
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::random::sees_each_length;

    #[test]
    fn bench_of_the_tx_pipe_sends_each_length() {
        let config = NicConfig::preset("gbe").expect("the preset exists");
        let golden = || TxPipe::new(&config);
        sees_each_length(golden, |seed| TxStimulus::new(&config, seed), |s| &s.traffic.lengths, 0);
    }
}
