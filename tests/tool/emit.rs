//! The accepted forms of a kernel: each is emitted and compared with plain integers, every cycle.

use nic_harness::bench::{Bench, Options, Stimulus};
use nic_harness::verilator::Source;
use nic_hdl::emit::{by_name, emit_block, Layout, Rule};
use nic_hdl::{block, Reg};
use nic_models::ports;
use nic_models::ports::Golden;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl_core::prelude::*;

macro_rules! comment {
    ($text:literal) => {};
}

#[derive(LogicState, Debug, Copy, Clone, PartialEq)]
enum Phase {
    Idle,
    Head,
    Body,
}

#[derive(LogicStruct, Debug, Copy, Clone, PartialEq, Default)]
struct Pair {
    low: Bits<5>,
    high: Bits<3>,
}

/// One register for each form; the results come out one cycle later.
#[block]
struct Forms {
    pub a: Signal<In, Bits<8>>,
    pub b: Signal<In, Bits<8>>,
    pub p: Signal<In, Bits<24>>,
    pub e: Signal<In, Bits<24>>,
    pub w: Signal<In, Bits<64>>,
    pub i: Signal<In, Bits<6>>,
    pub s: Signal<In, Signed<8>>,
    pub t: Signal<In, Signed<8>>,
    pub f: Signal<In, Bit>,
    pub g: Signal<In, Bit>,
    pub y: [Signal<Out, Bits<8>>; 14],
    pub c: [Signal<Out, Bit>; 16],
    pub z: [Signal<Out, Bits<16>>; 7],
    y_reg: [Reg<Bits<8>>; 14],
    c_reg: [Reg<Bit>; 16],
    z_reg: [Reg<Bits<16>>; 7],
    #[reset(Phase::Idle)]
    phase: Reg<Phase>,
    sum: Signal<Local, Bits<8>>,
    difference: Signal<Local, Bits<24>>,
    not_a: Signal<Local, Bits<8>>,
    pair: Signal<Local, Pair>,
    chain: [Signal<Local, Bits<8>>; 4],
    shifted: Signal<Local, Bits<24>>,
    signed_sum: Signal<Local, Signed<8>>,
    #[value(0x80_0000_u64)]
    half: Constant<Bits<24>>,
    #[value(0)]
    zero: Constant<Signed<8>>,
    #[init(MASKS.map(|m| Constant::new(u64::from(m).into())))]
    mask: [Constant<Bits<8>>; 4],
    #[value(PATTERN)]
    pattern: Constant<Bits<64>>,
}

const PATTERN: u64 = 0x0123_4567_89ab_cdef;
const MASKS: [u8; 4] = [0x0f, 0xf0, 0x55, 0x3c];

impl Logic for Forms {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..14 {
            self.y[i].next = self.y_reg[i].val();
        }
        for i in 0..16 {
            self.c[i].next = self.c_reg[i].val();
        }
        for i in 0..7 {
            self.z[i].next = self.z_reg[i].val();
        }
        self.sum.next = self.a.val() + self.b.val();
        self.difference.next = self.p.val() - self.e.val();
        self.not_a.next = !self.a.val();
        self.shifted.next = self.p.val() >> 3;
        self.signed_sum.next = self.s.val() + self.t.val();

        comment!("8 bits: arithmetic, shifts, slices, arrays, structs, replaced bits");
        self.y_reg[0].next = self.sum.val() - 3;
        self.y_reg[1].next = (self.a.val() & self.b.val()) | (!self.a.val() & 0x55);
        self.y_reg[2].next = self.a.val() << 3;
        self.y_reg[3].next = self.a.val() >> self.b.val().get_bits::<3>(2);
        self.y_reg[4].next = self.w.val().get_bits::<8>(16);
        self.y_reg[5].next = self.w.val().get_bits::<8>(self.i.val().index());
        self.y_reg[6].next = self.a.val().replace_bit(5, self.f.val());
        self.y_reg[7].next = self.y_reg[7].val();
        if self.f.val() {
            self.y_reg[7].next = self.y_reg[7]
                .val()
                .replace_bit(self.b.val().get_bits::<3>(0).index(), self.g.val());
        }
        self.chain[0].next = self.a.val() & self.mask[0].val();
        for i in 1..4 {
            self.chain[i].next = self.chain[i - 1].val() ^ (self.a.val() & self.mask[i].val());
        }
        self.y_reg[8].next = self.chain[3].val();
        self.pair.next.low = self.b.val().get_bits::<5>(1);
        self.pair.next.high = self.a.val().get_bits::<3>(5);
        self.y_reg[9].next = bit_cast::<8, 5>(self.pair.val().low);
        self.y_reg[10].next = bit_cast::<8, 3>(self.pair.val().high);
        self.y_reg[11].next = bit_cast::<8, 24>(self.shifted.val());
        self.y_reg[12].next = unsigned_cast(self.signed_sum.val());
        match self.phase.val() {
            Phase::Idle => {
                self.y_reg[13].next = 1.into();
                if self.f.val() {
                    self.phase.next = Phase::Head;
                }
            }
            Phase::Head => {
                self.y_reg[13].next = self.a.val();
                self.phase.next = Phase::Body;
            }
            _ => {
                self.y_reg[13].next = self.b.val();
                if self.g.val() {
                    self.phase.next = Phase::Idle;
                }
            }
        }

        comment!("1 bit: compares and reductions");
        self.c_reg[0].next = (self.a.val() & 0x0f) == 3;
        self.c_reg[1].next = self.sum.val() == self.b.val();
        self.c_reg[2].next = self.difference.val() < self.half.val();
        self.c_reg[3].next = self.not_a.val() == 0;
        self.c_reg[4].next = self.s.val() < self.zero.val();
        self.c_reg[5].next = self.s.val() >= self.t.val();
        self.c_reg[6].next = self.a.val().all() | self.b.val().any() & self.f.val();
        self.c_reg[7].next = self.w.val().xor();
        self.c_reg[8].next = self.w.val().get_bit(self.i.val().index());
        self.c_reg[9].next = (self.f.val() || !self.g.val()) && (self.a.val() != self.b.val());
        self.c_reg[10].next = self.phase.val() == Phase::Body;
        self.c_reg[11].next = self.a.val() <= 0x7f;
        self.c_reg[12].next = self.pattern.val().get_bit(self.i.val().index());
        self.c_reg[13].next = self.signed_sum.val().get_bit(7);
        self.c_reg[14].next = self.f.val() ^ self.g.val();
        match self.i.val().index() {
            0 => {
                self.c_reg[15].next = true;
            }
            7 => {
                self.c_reg[15].next = self.f.val();
            }
            _ => {
                self.c_reg[15].next = false;
            }
        }

        comment!("16 bits: casts, and counters that reset");
        self.z_reg[0].next = bit_cast::<16, 8>(self.sum.val());
        self.z_reg[1].next = bit_cast::<16, 24>(self.p.val());
        self.z_reg[2].next = bit_cast::<16, 1>(self.f.val().into()) << 9;
        self.z_reg[3].next = bits::<16>(0x1234) ^ bit_cast::<16, 8>(self.a.val());
        self.z_reg[4].next = self.z_reg[4].val() + 0x0101;
        self.z_reg[5].next =
            (bit_cast::<16, 8>(self.a.val()) << 8) | bit_cast::<16, 8>(self.b.val());
        self.z_reg[6].next = self.w.val().get_bits::<16>(self.i.val().index());
    }
}

ports! {
    struct FormsIn {
        pub reset: bool, pub a: u8, pub b: u8, pub p: u32, pub e: u32, pub w: u64, pub i: u8,
        pub s: u8, pub t: u8, pub f: bool, pub g: bool,
    }
}
ports! {
    struct FormsOut { pub y: [u8; 14], pub c: [bool; 16], pub z: [u16; 7] }
}

/// The forms in plain integers.
#[derive(Default)]
struct Plain {
    phase: u8,
    out: FormsOut,
}

impl Plain {
    fn bytes(&self, v: &FormsIn) -> [u8; 14] {
        let sum = v.a.wrapping_add(v.b);
        let place = v.b & 7;
        let replaced = (self.out.y[7] & !(1 << place)) | (u8::from(v.g) << place);
        let chain = MASKS.iter().fold(0, |x, m| x ^ (v.a & m));
        [
            sum.wrapping_sub(3),
            (v.a & v.b) | (!v.a & 0x55),
            v.a << 3,
            v.a >> (v.b >> 2 & 7),
            (v.w >> 16) as u8,
            (v.w >> v.i) as u8,
            (v.a & !0x20) | u8::from(v.f) << 5,
            if v.f { replaced } else { self.out.y[7] },
            chain,
            v.b >> 1 & 0x1f,
            v.a >> 5,
            (v.p >> 3) as u8,
            v.s.wrapping_add(v.t),
            [1, v.a, v.b][usize::from(self.phase)],
        ]
    }

    fn bits(&self, v: &FormsIn) -> [bool; 16] {
        let behind = v.p.wrapping_sub(v.e) & 0xff_ffff;
        [
            v.a & 0x0f == 3,
            v.a.wrapping_add(v.b) == v.b,
            behind < 0x80_0000,
            !v.a == 0,
            (v.s as i8) < 0,
            v.s as i8 >= v.t as i8,
            v.a == 0xff || (v.b != 0 && v.f),
            v.w.count_ones() % 2 == 1,
            v.w >> v.i & 1 == 1,
            (v.f || !v.g) && v.a != v.b,
            self.phase == 2,
            v.a <= 0x7f,
            PATTERN >> v.i & 1 == 1,
            v.s.wrapping_add(v.t) >> 7 == 1,
            v.f ^ v.g,
            v.i == 0 || (v.i == 7 && v.f),
        ]
    }

    fn words(&self, v: &FormsIn) -> [u16; 7] {
        [
            u16::from(v.a.wrapping_add(v.b)),
            v.p as u16,
            u16::from(v.f) << 9,
            0x1234 ^ u16::from(v.a),
            self.out.z[4].wrapping_add(0x0101),
            u16::from(v.a) << 8 | u16::from(v.b),
            (v.w >> v.i) as u16,
        ]
    }
}

impl Golden for Plain {
    type In = FormsIn;
    type Out = FormsOut;
    fn step(&mut self, v: &FormsIn) -> FormsOut {
        let mut out = FormsOut { y: self.bytes(v), c: self.bits(v), z: self.words(v) };
        self.phase = match self.phase {
            0 => u8::from(v.f),
            1 => 2,
            _ => 2 * u8::from(!v.g),
        };
        if v.reset {
            out = FormsOut::default();
            self.phase = 0;
        }
        self.out = out;
        out
    }
}

/// Random values, with edges (0, all ones, equal operands) much more often than chance has them.
struct Vectors(ChaCha8Rng);

impl Stimulus<Plain> for Vectors {
    fn next(&mut self, _cycle: u64, _out: &FormsOut) -> FormsIn {
        let r = &mut self.0;
        let mut word = |bits: u32| {
            let mask = u64::MAX >> (64 - bits);
            match r.gen_range(0..6) {
                0 => 0,
                1 => mask,
                2 => 1 << (bits - 1),
                3 => r.gen_range(0..4),
                _ => r.gen::<u64>() & mask,
            }
        };
        let mut v = FormsIn {
            reset: false,
            a: word(8) as u8,
            b: word(8) as u8,
            p: word(24) as u32,
            e: word(24) as u32,
            w: word(64),
            i: (word(6) % 48) as u8,
            s: word(8) as u8,
            t: word(8) as u8,
            f: word(1) == 1,
            g: word(1) == 1,
        };
        v.reset = self.0.gen_ratio(1, 64);
        if self.0.gen_ratio(1, 8) {
            (v.b, v.e, v.t) = (v.a, v.p, v.s);
        }
        v
    }
}

fn bench() -> Bench {
    let vectors = |seed| Vectors(ChaCha8Rng::seed_from_u64(seed));
    Bench::new("forms", &rdma_nic::gbe(), Plain::default, vectors)
}

fn verilog() -> Source {
    let design = emit_block("forms", &Forms::default(), "gbe");
    let design = design.unwrap_or_else(|e| panic!("{e}"));
    Source::new("forms", &design.single_file())
}

#[test]
fn emit_accepted_forms_mean_what_the_kernel_says() {
    for seed in 1..=3 {
        println!("seed {seed}");
        if let Err(failure) = bench().run(&verilog(), &Options::new(seed, 50_000)) {
            panic!("{failure}");
        }
    }
}

/// Yosys would encode the 43 states of the requester in six bits, and those of the tx pipe one-hot.
#[test]
fn emit_asks_for_one_hot_encoding_of_many_states() {
    let attribute = "(* fsm_encoding = \"one-hot\" *)\n    reg ";
    let [requester, tx] = ["requester", "tx_pipe"].map(|b| rdma_nic::bench_and_verilog(b).1.text);
    let asked: Vec<&str> = requester.split(attribute).skip(1).collect();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].lines().next().unwrap_or_default().ends_with(" now_state;"));
    assert!(!tx.contains("fsm_encoding"));
}

/// The compare above notices a wrong width, sign or operator.
#[test]
fn emit_compare_notices_a_changed_form() {
    let source = verilog();
    let changes = [
        ("a & 8'd15", "a & 8'd7"),
        ("s < zero", "$unsigned(s) < $unsigned(zero)"),
        ("sum - 8'd3", "sum + 8'd3"),
        ("p[15:0]", "p[16:1]"),
        ("^w", "|w"),
    ];
    for (from, to) in changes {
        assert!(source.text.contains(from), "{from} isn't in:\n{}", source.text);
        let changed = Source::new("forms", &source.text.replacen(from, to, 1));
        let options = Options { failure_dir: None, ..Options::new(1, 10_000) };
        assert!(bench().run(&changed, &options).is_err(), "{from} -> {to} goes unnoticed");
    }
}

#[test]
fn emit_writes_files_and_their_list() {
    let emit = || by_name("frame_fifo", &rdma_nic::gbe()).expect("it is a block");
    let design = emit();
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("emit_files");
    let _ = std::fs::remove_dir_all(&dir);
    let files = design.write_dir(&dir, Layout::FilePerModule).expect("the folder is writable");
    assert_eq!(files.len(), design.modules.len());
    let read = |file: &str| std::fs::read_to_string(dir.join(file)).expect("it was written");
    assert_eq!(read("files.f").lines().collect::<Vec<_>>(), ["ram.v", "frame_fifo.v"]);
    let text = read("frame_fifo.v");
    assert!(text.starts_with("// SPDX-License-Identifier: MIT OR Apache-2.0\n"));
    assert!(text.contains("preset gbe"));
    assert_eq!(emit().single_file(), design.single_file(), "the same text every time");
}

#[test]
fn emit_names_the_blocks_when_one_is_unknown() {
    let error = by_name("fivo", &rdma_nic::gbe()).expect_err("no such block");
    assert_eq!(error.findings[0].rule, Rule::UnknownBlock);
    assert!(error.to_string().contains("skid"));
}
