//! CRC-32/ISO-HDLC over frames of W-bit beats (Ethernet FCS, RoCE ICRC).
//!
//! # Source            IEEE 802.3 section 3.2.9: x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 +
//!                     x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1, bits reflected, result inverted
//! # Interface timing  cycle 0: last beat; cycle [`latency_cycles`]: m_valid for one cycle, m_crc
//!                     (held until the next result)
//! # Latency and rate  2 + log2(KB / G), 3 for KB = 1; one beat per cycle, frames back to back. No
//!                     ready
//! # Shape             KB = W / 8. Bytes outside tkeep count as 0; on the last beat the bytes
//!                     above the highest kept one don't count at all, and at least one is kept.
//!                     What counts of the last beat is rounded up to a multiple of G bytes, zeros:
//!                     a frame whose length is one loses no time by what it can't have
//!                     Bytes below the first kept one of the first beat are undone by the seed:
//!                     [`rewind`]`(seed, bytes)`
//! # Number formats    cfg_seed: state before the first byte, 0xffffffff for the plain CRC; must
//!                     be there in the cycle after the frame's first beat;
//!                     m_crc: its byte 0 (bits 7:0) is the first on the wire
//! # Critical path     parts of 32 data bits, then state, then one rewind step a stage
//! # Reset             synchronous, high: between frames, m_valid = 0, m_crc = 0
//! # Twins             sim/models/src/golden/util/crc32.rs, tests/util/crc32.rs

use crate::block;
use rust_hdl_core::prelude::*;
use std::fmt::Write;

const POLYNOMIAL_REFLECTED: u32 = 0xedb8_8320;
const PART_BITS: usize = 32;

/// Cycles from the last beat to the CRC for beats of `beat_bytes` whose frames are multiples of
/// `grain_bytes`.
pub const fn latency_cycles(beat_bytes: usize, grain_bytes: usize) -> usize {
    2 + rewind_step_count(beat_bytes, grain_bytes)
}

const fn rewind_step_count(beat_bytes: usize, grain_bytes: usize) -> usize {
    if beat_bytes == 1 {
        1
    } else {
        (beat_bytes / grain_bytes).trailing_zeros() as usize
    }
}

/// State after one more byte.
pub const fn advance(state: u32, byte: u8) -> u32 {
    let mut s = state ^ byte as u32;
    let mut bit = 0;
    while bit < 8 {
        s = (s >> 1) ^ (POLYNOMIAL_REFLECTED & (s & 1).wrapping_neg());
        bit += 1;
    }
    s
}

/// State before `bytes` zero bytes that led to `state`.
pub const fn rewind(state: u32, bytes: usize) -> u32 {
    let mut s = state;
    let mut bit = 0;
    while bit < 8 * bytes {
        s = if s >> 31 == 1 { (s ^ POLYNOMIAL_REFLECTED) << 1 | 1 } else { s << 1 };
        bit += 1;
    }
    s
}

/// CRC-32 of frames on a `W`-bit stream; `KB = W / 8`. Frames are multiples of `G` bytes.
#[block(check(W == 8 * KB && KB.is_power_of_two(), G.is_power_of_two() && G <= KB))]
pub struct Crc32<const W: usize, const KB: usize, const G: usize> {
    /// State before the first byte of a frame. Constant in use.
    pub cfg_seed: Signal<In, Bits<32>>,
    /// A beat; always taken.
    pub s_valid: Signal<In, Bit>,
    /// Data, byte 0 in bits 7:0.
    pub s_data: Signal<In, Bits<W>>,
    /// Bytes that count.
    pub s_keep: Signal<In, Bits<KB>>,
    /// Last beat of the frame.
    pub s_last: Signal<In, Bit>,
    /// A frame's CRC is new.
    pub m_valid: Signal<Out, Bit>,
    /// CRC of the last frame.
    pub m_crc: Signal<Out, Bits<32>>,
}

impl<const W: usize, const KB: usize, const G: usize> Crc32<W, KB, G> {
    /// Cycles from the last beat to the CRC.
    pub const LATENCY_CYCLES: usize = latency_cycles(KB, G);
}

/// Masks of the 32 output bits of a linear map, given its value for each input bit.
fn row_masks(input_bits: usize, column: impl Fn(usize) -> u32) -> Vec<Vec<bool>> {
    let columns: Vec<u32> = (0..input_bits).map(column).collect();
    (0..32).map(|row| columns.iter().map(|c| c >> row & 1 == 1).collect()).collect()
}

/// `{row 31, ..., row 0}` of a linear map of `source`.
fn linear_map(source: &str, input_bits: usize, column: impl Fn(usize) -> u32) -> String {
    let hex = |mask: &[bool]| -> String {
        mask.chunks(4)
            .rev()
            .map(|n| n.iter().enumerate().fold(0, |v, (i, &bit)| v | u32::from(bit) << i))
            .map(|n| format!("{n:x}"))
            .collect()
    };
    let rows: Vec<String> = row_masks(input_bits, column)
        .iter()
        .rev()
        .map(|mask| format!("    ^({source} & {input_bits}'h{})", hex(mask)))
        .collect();
    format!("{{\n{}\n}}", rows.join(",\n"))
}

/// Index of the highest 1 of `s_keep` in units of `grain_bytes`, by halving.
fn highest_kept(beat_bytes: usize, grain_bytes: usize, text: &mut String) {
    // The lowest grain of a half says nothing that the ones above it being empty doesn't.
    let mut half = "s_keep".to_string();
    let mut width = beat_bytes;
    let mut bits = Vec::new();
    while width > grain_bytes {
        let middle = width / 2;
        bits.push(format!("|{half}[{}:{middle}]", width - 1));
        if middle > grain_bytes {
            let name = format!("half_{middle}");
            let _ = writeln!(
                text,
                "wire [{top}:{grain_bytes}] {name} = |{half}[{end}:{middle}] ? \
                 {half}[{end}:{low}] : {half}[{top}:{grain_bytes}];",
                top = middle - 1,
                end = width - 1,
                low = middle + grain_bytes,
            );
            half = name;
        }
        width = middle;
    }
    let _ = writeln!(text, "wire [{}:0] highest = {{{}}};", bits.len() - 1, bits.join(", "));
}

fn crc_verilog(beat_bytes: usize, grain_bytes: usize) -> String {
    let width = 8 * beat_bytes;
    let step_count = rewind_step_count(beat_bytes, grain_bytes);
    let rewinds = beat_bytes > grain_bytes;
    let mut text =
        String::from("// 1: contribution of the data, in parts; bytes without keep are 0.\n");
    let lanes: Vec<String> = (0..beat_bytes)
        .rev()
        .map(|i| {
            let keep = if beat_bytes == 1 { "s_keep".into() } else { format!("s_keep[{i}]") };
            format!("{{8{{{keep}}}}}")
        })
        .collect();
    let _ = writeln!(text, "wire [{}:0] kept = s_data & {{{}}};", width - 1, lanes.join(", "));
    let part_bits = width.min(PART_BITS);
    let part_count = width / part_bits;
    for part in 0..part_count {
        let at = part * part_bits;
        let source = format!("kept[{}:{at}]", at + part_bits - 1);
        let column = |bit: usize| {
            let at_bit = at + bit;
            (0..beat_bytes).fold(0, |s, byte| {
                advance(s, if byte == at_bit / 8 { 1 << (at_bit % 8) } else { 0 })
            })
        };
        let _ = writeln!(
            text,
            "reg [31:0] part_{part};\nalways @(posedge clock) part_{part} <= {};",
            linear_map(&source, part_bits, column)
        );
    }
    let pad_bits = step_count;
    if rewinds {
        let _ = writeln!(text, "// Grains of the last beat that don't count.");
        highest_kept(beat_bytes, grain_bytes, &mut text);
    }
    let _ = write!(
        text,
        "reg fresh, valid_1, first_1, last_1;\n{pad_registers}reg [31:0] state;\n",
        pad_registers = if rewinds {
            (1..=step_count + 1)
                .map(|i| format!("reg [{}:{}] pad_{i};\n", pad_bits - 1, lowest_pad(i)))
                .collect::<String>()
        } else {
            String::new()
        }
    );
    let _ = writeln!(
        text,
        "// 2: the state moves on by a whole beat.\n\
         wire [31:0] state_in = first_1 ? cfg_seed : state;\n\
         wire [31:0] state_out = {}{};",
        linear_map("state_in", 32, |bit| (0..beat_bytes).fold(1 << bit, |s, _| advance(s, 0))),
        (0..part_count).map(|p| format!(" ^ part_{p}")).collect::<String>()
    );
    if step_count > 0 {
        text += "// 3: each stage takes a power of two of the bytes back that don't count.\n";
    }
    (1..step_count).for_each(|step| {
        let _ = writeln!(text, "reg [31:0] rewound_{step};");
    });
    for step in 0..step_count {
        let source = if step == 0 { "state".into() } else { format!("rewound_{step}") };
        let bytes = grain_bytes << step;
        let next = if !rewinds {
            source
        } else {
            format!(
                "pad_{}[{step}] ? {} : {source}",
                step + 2,
                linear_map(&source, 32, |bit| rewind(1 << bit, bytes))
            )
        };
        let _ = writeln!(text, "wire [31:0] taken_back_{} = {next};", step + 1);
    }
    text += &registers(rewinds, step_count);
    text
}

/// Lowest bit of the pad count that stage `i` and those behind it need.
fn lowest_pad(i: usize) -> usize {
    i.saturating_sub(2)
}

/// Declarations of the rewind stages and the clocked part.
fn registers(rewinds: bool, step_count: usize) -> String {
    let mut text = String::new();
    let mut load = String::new();
    for step in 1..=step_count {
        let _ = writeln!(text, "reg valid_{};", step + 1);
        if step < step_count {
            let _ = writeln!(load, "    rewound_{step} <= taken_back_{step};");
        }
    }
    if rewinds {
        let _ = writeln!(load, "    pad_1 <= ~highest;");
        (1..=step_count).for_each(|i| {
            let (high, low) = (step_count - 1, lowest_pad(i + 1));
            let _ = writeln!(load, "    pad_{} <= pad_{i}[{high}:{low}];", i + 1);
        });
    }
    let mut clear = String::new();
    (1..=step_count + 1).for_each(|i| {
        let _ = writeln!(clear, "        valid_{i} <= 1'b0;");
    });
    let mut shift = String::new();
    if step_count > 0 {
        shift += "        valid_2 <= valid_1 & last_1;\n";
    }
    (2..=step_count).for_each(|i| {
        let _ = writeln!(shift, "        valid_{} <= valid_{i};", i + 1);
    });
    let (done, crc) = match step_count {
        0 => ("valid_1 & last_1".into(), "state_out".into()),
        _ => (format!("valid_{}", step_count + 1), format!("taken_back_{step_count}")),
    };
    let _ = write!(
        text,
        "always @(posedge clock) begin
    first_1 <= fresh;
    last_1 <= s_last;
    if (valid_1) state <= state_out;
{load}    if (reset) begin
        fresh <= 1'b1;
{clear}        m_valid <= 1'b0;
        m_crc <= 32'd0;
    end else begin
        if (s_valid) fresh <= s_last;
        valid_1 <= s_valid;
{shift}        m_valid <= {done};
        if ({done}) m_crc <= ~{crc};
    end
end
"
    );
    text
}

impl<const W: usize, const KB: usize, const G: usize> Logic for Crc32<W, KB, G> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(crc_verilog(KB, G))
    }
}
