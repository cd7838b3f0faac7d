//! Frames for the rx pipe: RoCEv2 of every kind, captured ones, foreign ones, and damaged ones.

mod stacks;

use crate::bench::random::Lengths;
use crate::pcap;
use nic_spec::wire::bth::opcode::is_telemetry_only;
use nic_spec::wire::{aeth, bth, ethernet, icrc, ifa, int_md, ipv4, reth, roce, telemetry, udp};
use rand::seq::SliceRandom;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Opcodes of READ responses.
const READ_RESPONSES: core::ops::RangeInclusive<u8> =
    bth::opcode::READ_RESPONSE_FIRST..=bth::opcode::READ_RESPONSE_ONLY;

/// Registers of the host that receives.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// MAC address.
    pub mac: u64,
    /// IPv4 address.
    pub ip: u32,
    /// Partition key.
    pub pkey: u16,
    /// Telemetry format: 0 none, 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
    pub tel_format: u8,
    /// DSCP of stamped data.
    pub tel_dscp: u8,
    /// DSCP of ACKs that echo telemetry.
    pub tel_echo_dscp: u8,
    /// UDP port of packets with INT-MD.
    pub tel_port: u16,
    /// INT-MD, IOAM and IFA count queues in bytes.
    pub tel_queue_bytes: bool,
    /// IOAM's fractions of a second are binary.
    pub tel_time_binary: bool,
    /// Rate codes by the low three bits of the egress interface.
    pub tel_rates: u32,
}

impl Host {
    /// One of the two hosts of the captures or any host, with random other registers.
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let number = rng.gen_range(1..=2_u32);
        let captured = (0x5254_0000_0000 | u64::from(number), 0x0a00_0000 | number);
        // Addresses full of zeros would hide a compare that looks at the wrong bits.
        let any = (rng.gen::<u64>() >> 16, rng.gen());
        let (mac, ip) = if rng.gen() { captured } else { any };
        Self {
            mac,
            ip,
            pkey: *[0xffff, 0xffff, 0x7fff, rng.gen()].choose(rng).expect("some"),
            tel_format: [0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, rng.gen_range(6..8)]
                [rng.gen_range(0..15)],
            tel_dscp: rng.gen_range(1..64),
            tel_echo_dscp: rng.gen_range(0..64),
            tel_port: rng.gen(),
            tel_queue_bytes: rng.gen(),
            tel_time_binary: rng.gen(),
            tel_rates: rng.gen::<u32>() >> 8,
        }
    }
}

/// What most frames of a phase are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameStyle {
    /// Everything.
    Mixed,
    /// Small RoCEv2 packets and small foreign frames.
    Small,
    /// Large RoCEv2 packets, and some just too large.
    Large,
    /// Good RoCEv2 packets, with telemetry if it is on.
    Stamped,
    /// Frames for the host's own stack.
    Foreign,
    /// Runts of a few beats.
    Runts,
    /// Every second frame is damaged.
    Damaged,
}

impl FrameStyle {
    /// Any style.
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let styles = [
            Self::Mixed,
            Self::Mixed,
            Self::Small,
            Self::Large,
            Self::Stamped,
            Self::Stamped,
            Self::Stamped,
            Self::Foreign,
            Self::Runts,
            Self::Damaged,
            Self::Damaged,
        ];
        *styles.choose(rng).expect("some")
    }
}

/// Frames of the committed captures that go into the stimulus.
pub fn captured_frames() -> Vec<Vec<u8>> {
    const CAPTURES: [&[u8]; 4] = [
        include_bytes!("../../../../tests/data/rxe/send_imm_atomic.pcap"),
        include_bytes!("../../../../tests/data/rxe/mtu512_write_read.pcap"),
        include_bytes!("../../../../tests/data/rxe/loss_write_middle.pcap"),
        include_bytes!("../../../../tests/data/rxe/bad_icrc.pcap"),
    ];
    let records = CAPTURES.iter().flat_map(|bytes| pcap::parse(bytes).expect("a good capture"));
    records.map(|record| record.data).collect()
}

/// Makes frames, a function of its seed.
pub struct FrameMaker {
    rng: ChaCha8Rng,
    /// Whom most frames are for.
    pub host: Host,
    captured: Vec<Vec<u8>>,
    /// Packets carry telemetry if the host expects any.
    is_stamping: bool,
    lengths: Lengths,
    /// The packet is good and has as many bytes as it says.
    is_clean: bool,
}

impl FrameMaker {
    /// A maker that draws from `rng`.
    pub fn new(mut rng: ChaCha8Rng) -> Self {
        let host = Host::random(&mut rng);
        let (captured, lengths) = (captured_frames(), Lengths::new(0));
        Self { rng, host, captured, is_stamping: false, lengths, is_clean: false }
    }

    /// The same with the payload lengths that are this seed's share of all.
    pub fn sharing(self, seed: u64) -> Self {
        Self { lengths: Lengths::new(seed), ..self }
    }

    /// Payload lengths that it has come to.
    pub fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// The next frame and whether the MAC calls it bad.
    pub fn next(&mut self, style: FrameStyle) -> (Vec<u8>, bool) {
        self.is_stamping = style == FrameStyle::Stamped;
        let is_large = matches!(style, FrameStyle::Large | FrameStyle::Runts);
        if !self.lengths.is_through() && !is_large && self.rng.gen_ratio(1, 2) {
            return (self.swept(), false);
        }
        let kind = self.rng.gen_range(0..100);
        let mut frame = match style {
            FrameStyle::Runts if kind < 80 => self.noise(1..=64),
            FrameStyle::Foreign if kind < 90 => self.foreign(1600),
            FrameStyle::Small if kind < 60 => self.roce(0..=16),
            FrameStyle::Small if kind < 75 => self.foreign(80),
            FrameStyle::Large if kind < 5 => self.roce(8192..=8192),
            FrameStyle::Large if kind < 50 => self.roce(4090..=4110),
            FrameStyle::Large if kind < 90 => self.roce(2000..=4096),
            FrameStyle::Stamped if kind < 20 => self.roce_at_a_power_of_two(),
            FrameStyle::Stamped => self.roce(0..=40),
            _ if kind < 40 => self.roce(0..=40),
            _ if kind < 67 => self.roce(0..=300),
            _ if kind < 68 => self.roce(4090..=4110),
            _ if kind < 80 => self.captured(),
            _ if kind < 95 => self.foreign(150),
            _ => self.noise(1..=200),
        };
        let damaged = match style {
            FrameStyle::Damaged => self.rng.gen(),
            FrameStyle::Large | FrameStyle::Stamped => self.rng.gen_ratio(1, 20),
            _ => self.rng.gen_ratio(1, 6),
        };
        if damaged {
            self.damage(&mut frame);
        }
        self.is_stamping = false;
        (frame, self.rng.gen_ratio(1, 40))
    }

    /// A captured frame, mostly one for us.
    fn captured(&mut self) -> Vec<u8> {
        let frame = self.captured.choose(&mut self.rng).expect("some");
        let is_ours = ethernet::Packet::new_unchecked(frame).dst() == self.host.mac;
        if is_ours || self.rng.gen_ratio(1, 4) {
            return frame.clone();
        }
        self.captured()
    }

    /// A frame about as long as any may be.
    pub fn jumbo(&mut self) -> Vec<u8> {
        self.noise(9200..=9240)
    }

    fn noise(&mut self, bytes: core::ops::RangeInclusive<usize>) -> Vec<u8> {
        let mut frame = vec![0; self.rng.gen_range(bytes)];
        self.rng.fill_bytes(&mut frame);
        frame
    }

    /// A frame that looks like RoCEv2 for us, but for one thing; or something else altogether.
    fn foreign(&mut self, bytes_max: usize) -> Vec<u8> {
        if self.rng.gen_ratio(1, 80) {
            return self.jumbo();
        }
        if self.rng.gen_ratio(1, 3) {
            return self.noise(60..=bytes_max);
        }
        let mut frame = self.roce(0..=bytes_max.saturating_sub(80));
        let at = ethernet::Packet::new_unchecked(&frame).header_len();
        let change = match self.rng.gen_range(0..9) {
            0 | 1 => self.rng.gen_range(0..6),
            2 => at - 2,
            3 => at - 1,
            4 => at,
            5 => at + ipv4::field::FLAGS_OFFSET.start,
            6 => at + ipv4::field::PROTOCOL.start,
            7 => at + self.rng.gen_range(ipv4::field::DST),
            _ => at + ipv4::HEADER_BYTES + udp::field::DST_PORT.end - 1,
        };
        frame[change] ^= 1 << self.rng.gen_range(0..8);
        frame
    }

    fn telemetry(&mut self, form: telemetry::Form) -> (telemetry::Form, telemetry::Repr) {
        let most = if self.rng.gen_ratio(1, 4) && form == telemetry::Form::Paper { 15 } else { 5 };
        let hop_count = self.rng.gen_range(0..=most);
        let mut hops = [telemetry::Hop::default(); telemetry::HOPS_MAX];
        for hop in &mut hops {
            *hop = telemetry::Hop::from_word(self.rng.gen());
            if form == telemetry::Form::Paper && self.rng.gen_ratio(1, 16) {
                hop.rate_code |= 8;
            }
        }
        let mut repr = telemetry::Repr::new(self.rng.gen::<u16>() & 0xfff, &hops[..hop_count]);
        if form == telemetry::Form::Authors {
            repr.path = 0;
            if self.rng.gen_ratio(1, 8) {
                repr.hop_count = self.rng.gen();
            }
        }
        (form, repr)
    }

    fn opcode(&mut self) -> u8 {
        if self.rng.gen_ratio(1, 24) {
            return self.rng.gen();
        }
        if self.rng.gen_ratio(1, 8) {
            return self.rng.gen_range(0x0d..=0x17);
        }
        if self.rng.gen_ratio(1, 8) {
            let codes = bth::opcode::TELEMETRY_RESPONSE..=bth::opcode::TELEMETRY_WINDOW;
            return self.rng.gen_range(codes);
        }
        if self.rng.gen_ratio(1, 4) {
            return bth::opcode::ACKNOWLEDGE;
        }
        if self.rng.gen_ratio(1, 4) {
            return self.rng.gen_range(READ_RESPONSES);
        }
        self.rng.gen_range(0x00..=0x0c)
    }

    /// Ethernet, IPv4, UDP and BTH of a packet for us.
    fn headers(&mut self, opcode: u8, dscp: u8) -> roce::FrameRepr<'static> {
        let (host, rng) = (self.host, &mut self.rng);
        roce::FrameRepr {
            ethernet: ethernet::Repr {
                dst: host.mac,
                src: rng.gen::<u64>() >> 16,
                vlan_tci: rng.gen_ratio(1, 3).then(|| rng.gen()),
                ethertype: ethernet::ETHERTYPE_IPV4,
            },
            ip: ipv4::Repr {
                dscp,
                ecn: rng.gen_range(0..4),
                ident: rng.gen(),
                dont_fragment: rng.gen(),
                ttl: rng.gen(),
                protocol: ipv4::PROTOCOL_UDP,
                src: rng.gen(),
                dst: host.ip,
                payload_len: 0,
            },
            udp_src_port: rng.gen(),
            bth: bth::Repr {
                opcode,
                solicited: rng.gen(),
                migrate: rng.gen(),
                pad_count: 0,
                pkey: host.pkey | 0x8000,
                qpn: rng.gen::<u32>() >> 8,
                ack_req: rng.gen(),
                psn: rng.gen::<u32>() >> 8,
            },
            ..roce::FrameRepr::default()
        }
    }

    /// A RoCEv2 frame for us, with a payload of so many bytes where the opcode can have one.
    pub fn roce(&mut self, payload_bytes: core::ops::RangeInclusive<usize>) -> Vec<u8> {
        let opcode = self.opcode();
        self.roce_of(opcode, payload_bytes)
    }

    /// A packet whose payload has the next of all lengths.
    fn swept(&mut self) -> Vec<u8> {
        let codes = bth::opcode::WRITE_FIRST..=bth::opcode::WRITE_ONLY_IMM;
        let codes = if self.rng.gen_ratio(2, 3) { codes } else { READ_RESPONSES };
        let opcode = self.rng.gen_range(codes);
        let bytes = self.lengths.take() as usize;
        self.is_clean = true;
        let frame = self.roce_of(opcode, bytes..=bytes);
        self.is_clean = false;
        frame
    }

    fn roce_of(&mut self, opcode: u8, payload_bytes: core::ops::RangeInclusive<usize>) -> Vec<u8> {
        let mut payload = self.noise(payload_bytes);
        let is_bare = opcode == bth::opcode::ACKNOWLEDGE || is_telemetry_only(opcode);
        if is_bare && !self.rng.gen_ratio(1, 20) {
            payload.clear();
        }
        let stamped = self.is_stamping || self.rng.gen();
        let host = self.host;
        let tel_dscps = [host.tel_dscp, host.tel_echo_dscp];
        let any = self.rng.gen_range(0..64);
        let dscp = if stamped { *tel_dscps.choose(&mut self.rng).expect("two") } else { any };
        let is_data = dscp == host.tel_dscp;
        let form = match host.tel_format {
            1 => Some(telemetry::Form::Paper),
            2 => Some(telemetry::Form::Authors),
            3..=5 if !is_data => Some(telemetry::Form::Paper),
            _ => None,
        };
        let telemetry = form.filter(|_| stamped).map(|form| self.telemetry(form));
        let mut repr = self.headers(opcode, dscp);
        repr.telemetry = telemetry;
        let rng = &mut self.rng;
        if !self.is_clean && rng.gen_ratio(1, 16) {
            repr.bth.pkey = *[host.pkey ^ 0x8000, 0xffff, 0x7fff, 0].choose(rng).expect("some");
        }
        repr.reth = bth::opcode::has_reth(opcode).then(|| reth::Repr {
            va: rng.gen(),
            rkey: rng.gen(),
            dma_len: rng.gen(),
        });
        let msn = rng.gen::<u32>() >> 8;
        repr.aeth = bth::opcode::has_aeth(opcode).then(|| aeth::Repr { syndrome: rng.gen(), msn });
        repr.imm = bth::opcode::has_immdt(opcode).then(|| rng.gen());
        repr.payload = &payload;
        let mut frame = vec![0; repr.buffer_len()];
        repr.emit(&mut frame);
        if stamped && is_data && matches!(host.tel_format, 3..=5) {
            frame = self.with_stack(&frame);
        }
        if !self.is_clean && self.rng.gen_ratio(1, 4) {
            self.change_the_end(&mut frame);
        }
        let rng = &mut self.rng;
        if rng.gen_ratio(1, 3) && frame.len() < ethernet::FRAME_BYTES_MIN {
            frame.resize(ethernet::FRAME_BYTES_MIN, 0xaa);
        }
        frame
    }

    /// A packet whose IP length just reaches a power of two: without its telemetry it is below.
    fn roce_at_a_power_of_two(&mut self) -> Vec<u8> {
        let power = 1 << [7, 8, 9, 10, 11, 12][self.rng.gen_range(0..6)];
        let more = self.rng.gen_range(0..48);
        let empty = self.roce(0..=0);
        let headers = empty.len() - ethernet::Packet::new_unchecked(&empty).header_len();
        let bytes = (power + more as usize).saturating_sub(headers);
        self.roce(bytes..=bytes)
    }

    /// What no sender should do and every receiver takes: pad bytes that are not 0, or a packet
    /// whose length is no multiple of four.
    fn change_the_end(&mut self, frame: &mut Vec<u8>) {
        let Ok(eth) = ethernet::Packet::new_checked(&frame[..]) else { return };
        let ip = eth.header_len();
        if self.rng.gen() {
            let pad = frame.len() - icrc::BYTES - 3..frame.len() - icrc::BYTES;
            let pad_count = self.rng.gen_range(0..=3);
            frame[pad].iter_mut().rev().take(pad_count).for_each(|b| *b = 0x5a);
        } else {
            let more = self.rng.gen_range(1..8);
            frame.resize(frame.len() + more, 0);
            for at in [ip + ipv4::field::TOTAL_LEN.start, ip + 20 + udp::field::LEN.start] {
                add_be16(frame, at, more as u16, true);
            }
        }
        self.repair(frame);
        if self.rng.gen_ratio(1, 4) {
            // Its last bytes are missing.
            frame.truncate(frame.len() - self.rng.gen_range(1..=4));
        }
    }

    /// Damages a frame once, and often repairs the checksums so that a later check must find it.
    fn damage(&mut self, frame: &mut Vec<u8>) {
        let Ok(eth) = ethernet::Packet::new_checked(&frame[..]) else { return };
        let ip = eth.header_len();
        let (udp, rng) = (ip + ipv4::HEADER_BYTES, &mut self.rng);
        let repair = rng.gen_ratio(2, 3);
        let bth = udp + udp::HEADER_BYTES;
        match rng.gen_range(0..14) {
            0..=1 => {
                let at = rng.gen_range(0..frame.len());
                frame[at] ^= 1 << rng.gen_range(0..8);
            }
            2 | 12 | 13 if rng.gen() => frame.truncate(rng.gen_range(ip + 16..bth + 16)),
            2 if rng.gen() => frame.truncate(frame.len() - rng.gen_range(1..=4)),
            2 => frame.truncate(rng.gen_range(1..=frame.len())),
            3 => {
                let more = rng.gen_range(1..=40);
                frame.resize(frame.len() + more, 0x55);
            }
            4 if frame.len() > bth => {
                let change = rng.gen_range(1..64_u16);
                let up = rng.gen();
                add_be16(frame, udp + udp::field::LEN.start, change, up);
                if rng.gen() {
                    add_be16(frame, ip + ipv4::field::TOTAL_LEN.start, change, up);
                }
            }
            5 if frame.len() > bth => {
                // A packet that ends early: in front of, inside or just behind the headers.
                let len = rng.gen_range(0..=60_u16);
                let total = len + ipv4::HEADER_BYTES as u16;
                frame[ip + 2..ip + 4].copy_from_slice(&total.to_be_bytes());
                frame[udp + 4..udp + 6].copy_from_slice(&len.to_be_bytes());
                if rng.gen() {
                    frame.truncate(ip + usize::from(total).max(rng.gen_range(20..40)));
                }
            }
            6 if frame.len() > bth => frame[bth] = rng.gen(),
            7 if frame.len() > bth + 1 => frame[bth + 1] ^= 1 << rng.gen_range(0..8),
            8 if frame.len() > bth + 12 => {
                let at = bth + rng.gen_range(0..12);
                frame[at] ^= 1 << rng.gen_range(0..8);
            }
            9 if frame.len() > bth => frame[ip + 1] = self.host.tel_dscp << 2,
            10 if frame.len() > bth + 16 && rng.gen() => {
                let at = bth + rng.gen_range(0..16);
                frame[at] ^= 1 << rng.gen_range(0..8);
            }
            10 if rng.gen_ratio(1, 5) => frame.resize(rng.gen_range(9200..9240), 0x33),
            _ => {
                let end = frame.len() - 1;
                frame[end] ^= 1 << rng.gen_range(0..8);
                return;
            }
        }
        if repair {
            self.repair(frame);
        }
    }

    /// Bytes of telemetry in front of a body, if they are there.
    fn telemetry_len(&self, dscp: u8, port: u16, body: &[u8]) -> Option<usize> {
        let host = &self.host;
        let (is_data, is_echo) = (dscp == host.tel_dscp, dscp == host.tel_echo_dscp);
        let form = match host.tel_format {
            1 if is_data || is_echo => telemetry::Form::Paper,
            2 if is_data || is_echo => telemetry::Form::Authors,
            3 | 4 if (host.tel_format == 3 && port == host.tel_port) || is_data => {
                let len = int_md::SHIM_BYTES + 4 * usize::from(*body.get(1)?);
                return (len <= body.len()).then_some(len);
            }
            3..=5 if is_echo => telemetry::Form::Paper,
            _ => return Some(0),
        };
        telemetry::Repr::parse(form, body).ok().map(|repr| repr.buffer_len(form))
    }

    /// Sets header checksum and ICRC as if the frame were meant to be as it is.
    fn repair(&self, frame: &mut [u8]) {
        let Ok(eth) = ethernet::Packet::new_checked(&frame[..]) else { return };
        let at = eth.header_len();
        let has_ifa = self.host.tel_format == 5
            && frame.get(at + ipv4::field::PROTOCOL.start) == Some(&ifa::PROTOCOL);
        let udp = at + ipv4::HEADER_BYTES + if has_ifa { ifa::HEADER_BYTES } else { 0 };
        let bth = udp + udp::HEADER_BYTES;
        if frame.len() < bth {
            return;
        }
        let mut ip = ipv4::Packet::new_unchecked(&mut frame[at..]);
        ip.fill_checksum();
        let (dscp, total) = (ip.dscp(), usize::from(ip.total_len()));
        let end = at + total;
        let port = u16::from_be_bytes([frame[udp + 2], frame[udp + 3]]);
        let Some(body) = frame.get(bth..end.max(bth)) else { return };
        let tel_len = if has_ifa {
            body.get(ifa::field::WORDS.start)
                .map(|words| ifa::METADATA_BYTES + 4 * usize::from(*words))
        } else {
            self.telemetry_len(dscp, port, body)
        };
        let Some(tel_len) = tel_len else { return };
        if body.len() < tel_len + icrc::BYTES {
            return;
        }
        let transport = &frame[bth + tel_len..end - icrc::BYTES];
        let mut ip_header: [u8; ipv4::HEADER_BYTES] =
            frame[at..at + ipv4::HEADER_BYTES].try_into().expect("20 bytes");
        if has_ifa {
            ip_header[ipv4::field::PROTOCOL.start] = ipv4::PROTOCOL_UDP;
        }
        let mut udp_header: [u8; 8] = frame[udp..bth].try_into().expect("8 bytes");
        if self.host.tel_format == 3 && port == self.host.tel_port {
            udp_header[2..4].copy_from_slice(&udp::PORT_ROCE.to_be_bytes());
        }
        let crc = icrc::icrc(&ip_header, &udp_header, transport);
        frame[end - icrc::BYTES..end].copy_from_slice(&crc.to_le_bytes());
    }
}

fn add_be16(bytes: &mut [u8], at: usize, change: u16, up: bool) {
    let value = u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let changed = if up { value.wrapping_add(change) } else { value.wrapping_sub(change) };
    bytes[at..at + 2].copy_from_slice(&changed.to_be_bytes());
}
