//! Telemetry stacks as switches insert them, good and bad.

use super::FrameMaker;
use nic_models::insert;
use nic_spec::wire::{ethernet, ifa, int_md, ioam, ipv4, udp};
use rand::seq::SliceRandom;
use rand::Rng;

impl FrameMaker {
    /// The frame with INT-MD, IOAM or IFA.
    pub(super) fn with_stack(&mut self, frame: &[u8]) -> Vec<u8> {
        let host = self.host;
        if host.tel_format == 4 {
            let trace = self.trace();
            return insert::telemetry(frame, &trace, host.tel_dscp, None);
        }
        if host.tel_format == 5 {
            return self.with_ifa(frame);
        }
        let marked = self.rng.gen::<bool>().then_some(host.tel_port);
        let (mut npt, mut original) = (int_md::NPT_DSCP, self.rng.gen());
        if marked.is_some() {
            (npt, original) = (int_md::NPT_PORT, udp::PORT_ROCE);
        }
        let stack = self.stack(npt, original);
        let dscp = if marked.is_some() && self.rng.gen() {
            self.rng.gen_range(0..64)
        } else {
            host.tel_dscp
        };
        insert::telemetry(frame, &stack, dscp, marked)
    }

    /// Shim, metadata header and hops; mostly good ones in HPCC's profile.
    fn stack(&mut self, npt: u8, original: u16) -> Vec<u8> {
        let rng = &mut self.rng;
        let mut headers = int_md::Headers::hpcc(npt, original);
        if rng.gen_ratio(1, 3) {
            let needed = if rng.gen_ratio(7, 8) { int_md::instruction::NEEDED } else { 0 };
            headers.instructions = rng.gen::<u16>() | needed;
            let words = int_md::Layout::of(headers.instructions).map_or(7, |layout| layout.words);
            headers.hop_words = (words + [1, 1, 1, 1, 2, 3, 0][rng.gen_range(0..7)] - 1) as u8;
        }
        match rng.gen_range(0..40) {
            0 => headers.version = rng.gen_range(0..16),
            1 => headers.hops_exceeded = true,
            2 => headers.mtu_exceeded = true,
            3 => headers.hop_words = rng.gen_range(0..32),
            4 => headers.npt ^= rng.gen_range(1..4),
            5 => headers.original ^= 1 << rng.gen_range(0..16),
            _ => {}
        }
        headers.hops_left = rng.gen();
        let hop_count =
            if rng.gen_ratio(1, 8) { rng.gen_range(0..=9) } else { rng.gen_range(0..=5) };
        let mut words = Vec::new();
        for _ in 0..hop_count * usize::from(headers.hop_words) {
            words.push(self.word());
        }
        let rng = &mut self.rng;
        if rng.gen_ratio(1, 16) {
            words.resize(words.len() + rng.gen_range(1..6), 0x1234_5678);
        }
        words.truncate(255 - int_md::HEADER_WORDS);
        let mut bytes = vec![0; int_md::HEADERS_BYTES];
        headers.emit(4 * words.len(), &mut bytes);
        bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        if rng.gen_ratio(1, 30) {
            // Domain and reserved bits mean nothing to us.
            bytes[12..16].fill(0xff);
            bytes[5] = 0x1f;
        }
        if rng.gen_ratio(1, 40) {
            // No whole metadata header.
            let length = rng.gen_range(0..3);
            bytes[1] = length;
            bytes.truncate(int_md::SHIM_BYTES + 4 * usize::from(length));
        }
        bytes
    }

    /// Trace and nodes; mostly good ones with what HPCC asks for.
    fn trace(&mut self) -> Vec<u8> {
        let rng = &mut self.rng;
        let with_seconds = [0, ioam::trace::SECONDS][rng.gen_range(0..2)];
        let mut headers = ioam::Headers {
            option_type: ioam::TYPE_INCREMENTAL,
            namespace: rng.gen(),
            trace_type: ioam::trace::HPCC | with_seconds,
            ..ioam::Headers::default()
        };
        if rng.gen_ratio(1, 3) {
            let needed = if rng.gen_ratio(7, 8) { ioam::trace::NEEDED } else { 0 };
            headers.trace_type = rng.gen_range(0..1 << 24) & rng.gen::<u32>() | needed;
            if rng.gen_ratio(7, 8) {
                headers.trace_type &= !ioam::trace::OPAQUE;
            }
        }
        let words = ioam::Layout::of(headers.trace_type).map_or(5, |layout| layout.words);
        headers.node_words = (words + [1, 1, 1, 1, 1, 1, 2, 3, 0][rng.gen_range(0..9)] - 1) as u8;
        match rng.gen_range(0..30) {
            0 => headers.option_type = rng.gen_range(0..5),
            1 => headers.overflow = true,
            2 => headers.node_words = rng.gen_range(0..32),
            _ => {}
        }
        headers.words_left = rng.gen();
        let count = if rng.gen_ratio(1, 8) { rng.gen_range(0..=9) } else { rng.gen_range(0..=5) };
        let mut words = Vec::new();
        for _ in 0..count * usize::from(headers.node_words) {
            words.push(self.word());
        }
        let rng = &mut self.rng;
        if rng.gen_ratio(1, 16) {
            words.resize(words.len() + rng.gen_range(1..6), 0x1234_5678);
        }
        words.truncate(255 - ioam::HEADER_WORDS);
        let mut bytes = vec![0; ioam::HEADERS_BYTES];
        headers.emit(4 * words.len(), &mut bytes);
        bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        // Reserved bytes and the next protocol mean nothing to us.
        (bytes[2], bytes[3], bytes[11]) = (rng.gen(), rng.gen(), rng.gen());
        if rng.gen_ratio(1, 40) {
            // No whole header.
            let length = rng.gen_range(0..2);
            bytes[1] = length;
            bytes.truncate(ioam::SHIM_BYTES + 4 * usize::from(length));
        }
        bytes
    }

    /// The frame with IFA, mostly good. Behind a tag the header may end with the beat that decides.
    fn with_ifa(&mut self, frame: &[u8]) -> Vec<u8> {
        let rng = &mut self.rng;
        // What else the header may say is no reason to refuse it: in band, turned around.
        let flags = rng.gen::<u8>() & !ifa::flag::MORE;
        let mut header = ifa::Header { flags, ..ifa::Header::default() };
        let count = if rng.gen_ratio(1, 8) { rng.gen_range(0..=9) } else { rng.gen_range(0..=5) };
        let mut metadata = vec![rng.gen(), rng.gen(), rng.gen_range(1..=255), 8 * count];
        header.words_max = rng.gen_range(8 * count + 1..=255);
        for _ in 0..8 * count {
            let word = self.word();
            metadata.extend(word.to_be_bytes());
        }
        let rng = &mut self.rng;
        for hop in metadata[ifa::METADATA_BYTES..].chunks_exact_mut(ifa::HOP_BYTES) {
            if rng.gen_ratio(29, 30) {
                hop[ifa::field::SPEED_SECONDS.start] &= 0x0f;
                hop[ifa::field::SPEED_SECONDS.start] |= rng.gen_range(1..=6) << 4;
            }
        }
        match rng.gen_range(0..60) {
            0 => header.version = rng.gen_range(0..16),
            1 => header.name_space = rng.gen_range(0..16),
            2 => header.flags = rng.gen(),
            3 => header.words_max = 8 * count - (count != 0 && rng.gen()) as u8,
            4 => metadata[ifa::field::HOP_LIMIT.start] = 0,
            5 => header.next_header ^= 1 << rng.gen_range(0..8),
            6 => {
                let more = rng.gen_range(1..8);
                metadata[ifa::field::WORDS.start] += more;
                metadata.resize(metadata.len() + 4 * usize::from(more), rng.gen());
            }
            7 => metadata[ifa::field::WORDS.start] = rng.gen(),
            _ => {}
        }
        // The protocol marks the packet, whatever its DSCP.
        let at = ethernet::Packet::new_unchecked(frame).header_len();
        let mut frame = frame.to_vec();
        if rng.gen_ratio(1, 4) {
            frame[at + ipv4::field::TOS.start] = self.host.tel_echo_dscp << 2;
        }
        let mut bytes = insert::ifa(&frame, header, &metadata);
        if rng.gen() {
            // A switch that counts in UDP's length what it inserts.
            let udp_at = at + ipv4::HEADER_BYTES + ifa::HEADER_BYTES;
            let mut datagram = udp::Packet::new_unchecked(&mut bytes[udp_at..]);
            datagram.set_len(datagram.len() + metadata.len() as u16);
        }
        bytes
    }

    /// A value of a switch: any, around the largest that a record holds, or invalid.
    fn word(&mut self) -> u32 {
        let rng = &mut self.rng;
        match rng.gen_range(0..60) {
            0 => u32::MAX >> [0, 8][rng.gen_range(0..2)],
            1 => *[0, 0xf_ffff, 0x10_0000, 0x1_ffff, 0x2_0000, 0x7f_ffff, 0x80_0000, 0xffff_fffe]
                .choose(rng)
                .expect("some"),
            2 => {
                // Ones in all of a field that stands in the word, or in all but one bit.
                let field = [0xffff, 0xff_ffff, 0xfff_ff00, u32::MAX][rng.gen_range(0..4)];
                let hole = if rng.gen() { 0 } else { 1 << rng.gen_range(0..32) };
                (rng.gen::<u32>() | field) & !hole
            }
            3..=30 => rng.gen::<u32>() >> rng.gen_range(8..32),
            _ => rng.gen(),
        }
    }
}
