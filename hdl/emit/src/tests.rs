//! Small blocks: what is refused and why, and how the accepted forms read.

use crate::{emit_block, Design, EmitError, Reg, Regs, Rule, Unreset, Wire};
use nic_block::{block, bundle, kernel, stream};
use rust_hdl_core::prelude::*;

/// A block with inputs and registers of several kinds; the kernel is the caller's, with `self`
/// and attribute, for rust-hdl's macros must see all of it from one place.
macro_rules! uut {
    ($name:ident { $($kernel:tt)* }) => {
        #[block(no_reset)]
        struct $name {
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub p: Signal<In, Bits<24>>,
            pub s: Signal<In, Signed<8>>,
            pub f: Signal<In, Bit>,
            pub y: Signal<Out, Bits<8>>,
            pub z: Signal<Out, Bits<16>>,
            pub g: Signal<Out, Bit>,
            inner: Signal<Local, Bits<8>>,
            narrow: Unreset<Bits<8>>,
            wide: Unreset<Bits<16>>,
            flag: Unreset<Bit>,
            #[value(0x80_0000_u64.to_bits())]
            half: Constant<Bits<24>>,
            #[value(0)]
            zero: Constant<Signed<8>>,
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

fn emitted(block: &impl Block) -> Result<Design, EmitError> {
    emit_block("uut", block, "test")
}

/// The block is refused for this rule, at this place.
#[track_caller]
fn refused(block: &impl Block, rule: Rule, place: &str) {
    let error = emitted(block).expect_err("accepted");
    let hit = error.findings.iter().any(|f| f.rule == rule && f.place == place);
    assert!(hit, "{rule:?} at {place} is missing in:\n{error}");
}

#[track_caller]
fn text(block: &impl Block) -> String {
    match emitted(block) {
        Ok(design) => design.modules[design.modules.len() - 1].1.clone(),
        Err(error) => panic!("{error}"),
    }
}

/// One test a refused form: name, block, kernel, rule, place.
macro_rules! refuse {
    ($($test:ident $name:ident { $($kernel:tt)* } $rule:ident $place:literal;)*) => {$(
        #[test]
        fn $test() {
            uut!($name { $($kernel)* });
            refused(&$name::default(), Rule::$rule, $place);
        }
    )*};
}

refuse! {
    refuses_and_beside_compare AndCompare {
        #[hdl_gen]
        fn update(&mut self) {
            if self.a.val() & 0x0f == 3 { self.flag.next = true; }
        }
    } Precedence "uut";
    refuses_or_beside_compare OrCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val() | self.b.val() == 0xff;
        }
    } Precedence "uut.flag";
    refuses_sum_under_compare SumCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + 1) == self.b.val();
        }
    } Spill "uut.flag";
    refuses_difference_under_compare DifferenceCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() - self.b.val()) < 128;
        }
    } Spill "uut.flag";
    refuses_serial_compare_of_an_expression SerialCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.p.val() - self.half.val()) < 0x80_0000;
        }
    } Spill "uut.flag";
    refuses_not_under_compare NotCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = !self.a.val() == 0;
        }
    } Spill "uut.flag";
    refuses_sum_under_shift SumShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = (self.a.val() + 1) >> 1;
        }
    } Spill "uut.narrow";
    refuses_shift_under_compare ShiftCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() << 4) == 0x30;
        }
    } Spill "uut.flag";
    refuses_cast_of_a_sum CastSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
        }
    } Spill "uut.wide";
    refuses_cast_of_a_difference CastDifference {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(self.a.val() - self.b.val());
        }
    } Spill "uut.wide";
    refuses_cast_of_not CastNot {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(!self.a.val());
        }
    } Spill "uut.wide";
    refuses_signed_compare_with_literal SignedLiteral {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.s.val() < 0.into();
        }
    } SignedLiteral "uut.flag";
    refuses_any_of_a_sum AnySum {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + self.b.val()).any();
        }
    } Spill "uut.flag";
    refuses_slice_of_an_expression SliceSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + self.b.val()).get_bit(7);
        }
    } Form "uut.flag";
    refuses_narrowing_of_a_shift NarrowShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = bit_cast::<8, 24>(self.p.val() >> 3);
        }
    } Form "uut.narrow";
    refuses_const_names ConstName {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = LIMIT.into();
        }
    } Undeclared "uut.narrow";
    refuses_literals_that_do_not_fit TooWide {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val() == 0x1ff;
        }
    } Width "uut.flag";
    refuses_slices_outside_of_the_signal Outside {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val().get_bit(8);
        }
    } Form "uut.flag";
}

const LIMIT: u64 = 3;

/// A block of its own kernel: fields, then the kernel.
macro_rules! shape {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? } { $($kernel:tt)* }) => {
        #[block(no_reset)]
        struct $name {
            pub x: Signal<In, Bits<8>>,
            pub y: Signal<Out, Bits<8>>,
            r: Unreset<Bits<8>>,
            $($(#[$attribute])* $field: $type,)*
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

#[test]
fn refuses_latch() {
    shape!(Latch { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            if self.x.val().get_bit(0) { self.l.next = self.x.val(); }
            self.y.next = self.r.val();
        }
    });
    refused(&Latch::default(), Rule::Latch, "uut.l");
}

#[test]
fn refuses_partial_match() {
    shape!(Partial { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            match self.x.val().index() {
                0 => { self.l.next = self.x.val(); }
                1 => { self.l.next = self.r.val(); }
                _ => {}
            }
            self.y.next = self.r.val();
        }
    });
    refused(&Partial::default(), Rule::Latch, "uut.l");
}

#[test]
fn refuses_undriven_output_and_local() {
    shape!(Undriven { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.r.next = self.x.val();
        }
    });
    refused(&Undriven::default(), Rule::Undriven, "uut.y");
    refused(&Undriven::default(), Rule::Undriven, "uut.l");
}

#[test]
fn refuses_undriven_instance_input() {
    shape!(Inner { } {
        #[hdl_gen]
        fn update(&mut self) {
            self.r.next = self.x.val();
            self.y.next = self.r.val();
        }
    });
    shape!(Outer { inner: Inner } {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.r.val();
        }
    });
    refused(&Outer::default(), Rule::Undriven, "uut.inner_x");
}

#[test]
fn refuses_early_read() {
    shape!(Early { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.r.next = self.l.val();
            self.l.next = self.x.val();
            self.y.next = self.r.val();
        }
    });
    refused(&Early::default(), Rule::ReadFirst, "uut.l");
}

#[test]
fn refuses_path_from_input_to_output() {
    shape!(Mealy { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.l.next = self.x.val();
            self.y.next = self.l.val() & self.r.val();
        }
    });
    refused(&Mealy::default(), Rule::Moore, "uut.y");
}

#[test]
fn refuses_path_through_a_condition() {
    shape!(MealyIf { } {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = 0.into();
            if self.x.val().any() { self.y.next = self.r.val(); }
        }
    });
    refused(&MealyIf::default(), Rule::Moore, "uut.y");
}

#[test]
fn refuses_keywords() {
    shape!(Keyword { table: Unreset<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.r.val();
        }
    });
    refused(&Keyword::default(), Rule::Keyword, "uut.table");
}

#[test]
fn refuses_collisions() {
    shape!(Collide { r_next: Unreset<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.r.val();
        }
    });
    refused(&Collide::default(), Rule::Collision, "uut.r_next");
}

#[test]
fn prints_exact_widths() {
    uut!(Widths {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.narrow.val();
            self.z.next = self.wide.val();
            self.g.next = self.flag.val();
            self.inner.next = self.a.val();
        self.wide.next = bit_cast::<16, 8>(self.a.val());
        self.narrow.next = bit_cast::<8, 24>(self.p.val());
        self.flag.next = (self.a.val() & 15) == 3;
        }
    });
    let text = text(&Widths::default());
    for line in [
        "wide <= {8'd0, a};",
        "narrow <= p[7:0];",
        "flag <= (a & 8'd15) == 8'd3;",
        "assign y = narrow;",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn renames_an_instance_that_its_module_would_hide() {
    shape!(Holder { word: Unreset<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.r.next = self.x.val();
            self.word.next = self.r.val();
            self.y.next = self.word.val();
        }
    });
    shape!(Around { word: Holder } {
        #[hdl_gen]
        fn update(&mut self) {
            self.word.x.next = self.x.val();
            self.r.next = self.word.y.val();
            self.y.next = self.r.val();
        }
    });
    let text = text(&Around::default());
    assert!(text.contains("holder word_block (") && text.contains("r <= word_y;"), "{text}");
}

#[test]
fn literals_have_their_width_and_are_easy_to_read() {
    let text =
        |value: u128, width, signed| crate::print::sized_literal(&value.into(), width, signed);
    assert_eq!(text(1, 1, false), "1'b1");
    assert_eq!(text(42, 8, false), "8'd42");
    assert_eq!(text(1000, 10, false), "10'h3e8");
    assert_eq!(text(0x8000_0000, 48, false), "48'h8000_0000");
    assert_eq!(text(0x1_0000_0000, 64, false), "64'h1_0000_0000");
    assert_eq!(text(0xfb, 8, true), "8'shfb");
}

#[test]
fn refuses_registers_of_a_block_without_clock_or_reset() {
    #[block(comb)]
    struct NoClock {
        pub y: Signal<Out, Bits<8>>,
        held: Reg<Bits<8>>,
    }
    impl Logic for NoClock {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = self.held.val();
        }
    }
    let error = emitted(&NoClock::default()).expect_err("accepted");
    let texts: Vec<&str> = error.findings.iter().map(|f| f.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{error}");
    assert!(texts[0].contains("no `clock`") && texts[1].contains("no `reset`"), "{error}");
}

#[test]
fn refuses_combinational_loops() {
    #[block(comb)]
    struct Follow {
        pub x: Signal<In, Bits<8>>,
        pub y: Signal<Out, Bits<8>>,
    }
    impl Logic for Follow {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = !self.x.val();
        }
    }
    shape!(Ring { one: Follow, two: Follow } {
        #[hdl_gen]
        fn update(&mut self) {
            self.one.x.next = self.two.y.val();
            self.two.x.next = self.one.y.val();
            self.r.next = self.one.y.val();
            self.y.next = self.r.val();
        }
    });
    refused(&Ring::default(), Rule::Loop, "uut.one_y");
}

#[test]
fn refuses_forgotten_hdl_gen() {
    #[block(comb)]
    struct Forgot {
        pub y: Signal<Out, Bits<8>>,
    }
    impl Logic for Forgot {
        fn update(&mut self) {
            self.y.next = 0.into();
        }
    }
    refused(&Forgot::default(), Rule::EmptyKernel, "uut");
}

#[test]
fn refuses_what_is_not_declared_a_block() {
    #[derive(LogicBlock, Default)]
    struct Plain {
        pub y: Signal<Out, Bits<8>>,
    }
    impl Logic for Plain {
        #[hdl_gen]
        fn update(&mut self) {
            self.y.next = 0.into();
        }
    }
    refused(&Plain::default(), Rule::Structure, "uut");
}

#[test]
fn puts_reset_and_registers_at_the_edge() {
    #[block]
    struct Reset {
        pub x: Signal<In, Bits<8>>,
        pub y: Signal<Out, Bits<8>>,
        #[reset(7)]
        r: Reg<Bits<8>>,
        t: Unreset<Bits<8>>,
    }
    impl Logic for Reset {
        #[hdl_gen]
        fn update(&mut self) {
            comment!("Counts.");
            if self.x.val().get_bit(3) {
                self.r.next = self.r.val() + 1;
            }
            self.t.next = self.r.val();
            self.y.next = self.t.val();
        }
    }
    let text = text(&Reset::default());
    let kernel = "    always @(*) begin
        r_next = r;
        // Counts.
        if (x[3]) begin
            r_next = r + 8'd1;
        end
    end

    assign y = t;

    always @(posedge clock) begin
        r <= r_next;
        t <= r;
        if (reset) begin
            r <= 8'd7;
        end
    end
";
    assert!(text.contains(kernel), "{text}");
}

/// A register of `W` bits.
#[block(no_reset)]
struct Delay<const W: usize> {
    pub d: Signal<In, Bits<W>>,
    pub q: Signal<Out, Bits<W>>,
    r: Unreset<Bits<W>>,
}

impl<const W: usize> Logic for Delay<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.r.next = self.d.val();
        self.q.next = self.r.val();
    }
}

#[test]
fn shares_equal_modules_and_names_different_ones_by_size() {
    shape!(Keyword { bit: Delay<8> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.bit.d.next = self.x.val();
            self.r.next = self.bit.q.val();
            self.y.next = self.r.val();
        }
    });
    refused(&Keyword::default(), Rule::Keyword, "uut.bit");
    shape!(Top { one: Delay<8>, two: Delay<8>, four: Delay<4> } {
        #[hdl_gen]
        fn update(&mut self) {
            self.one.d.next = self.x.val();
            self.two.d.next = self.one.q.val();
            self.four.d.next = bit_cast::<4, 8>(self.two.q.val());
            self.r.next = bit_cast::<8, 4>(self.four.q.val());
            self.y.next = self.r.val();
        }
    });
    let design = emitted(&Top::default()).unwrap();
    let names: Vec<&str> = design.modules.iter().map(|m| m.0.as_str()).collect();
    assert_eq!(names, ["delay_8", "delay_4", "uut"]);
    assert!(design.modules[2].1.contains(".d(one_q)"), "{}", design.modules[2].1);
}

#[test]
fn implies_clock_and_reset_of_sub_blocks_by_exact_name_alone() {
    #[block]
    struct Inner {
        pub cfg_clock: Signal<In, Bit>,
        pub y: Signal<Out, Bit>,
        r: Reg<Bit>,
    }
    impl Logic for Inner {
        #[hdl_gen]
        fn update(&mut self) {
            self.r.next = self.cfg_clock.val();
            self.y.next = self.r.val();
        }
    }
    #[block]
    struct Outer {
        pub cfg_clock: Signal<In, Bit>,
        pub flush: Signal<In, Bit>,
        pub y: Signal<Out, Bit>,
        implied: Inner,
        flushed: Inner,
    }
    impl Logic for Outer {
        #[hdl_gen]
        fn update(&mut self) {
            self.flushed.cfg_clock.next = self.implied.y.val();
            self.flushed.reset.next = self.reset.val() | self.flush.val();
            self.y.next = self.flushed.y.val();
        }
    }
    let error = emitted(&Outer::default()).expect_err("cfg_clock is not implied");
    let places: Vec<&str> = error.findings.iter().map(|f| f.place.as_str()).collect();
    assert_eq!(places, ["uut.implied_cfg_clock"]);

    #[block]
    struct Whole {
        pub flush: Signal<In, Bit>,
        pub y: Signal<Out, Bit>,
        implied: Inner,
        flushed: Inner,
    }
    impl Logic for Whole {
        #[hdl_gen]
        fn update(&mut self) {
            self.implied.cfg_clock.next = self.flush.val();
            self.flushed.cfg_clock.next = self.implied.y.val();
            self.flushed.reset.next = self.reset.val() | self.flush.val();
            self.y.next = self.flushed.y.val();
        }
    }
    let text = text(&Whole::default());
    assert_eq!(text.matches(".clock(clock)").count(), 2, "{text}");
    assert_eq!(text.matches(".reset(reset)").count(), 1, "{text}");
    assert!(text.contains("assign flushed_reset = reset | flush;"), "{text}");
}

/// A bundle within a stream.
#[bundle]
struct Tag {
    pub color: Bits<4>,
    pub mark: [Bit; 2],
}

/// A stream.
#[stream]
struct Item<const W: usize> {
    pub word: Bits<W>,
    #[nested]
    pub tag: Tag,
}

#[block]
struct Slot {
    pub s_item: Item<In, 8>,
    pub m_item: Item<Out, 8>,
    item: Item<Regs, 8>,
}

impl Logic for Slot {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.item, &mut self.m_item);
        self.s_item.ready.next = !self.item.valid.val();
        if self.m_item.ready.val() {
            self.item.valid.next = false;
        }
        if !self.item.valid.val() {
            self.item.valid.next = self.s_item.valid.val();
            self.item.word.next = self.s_item.word.val();
            Wire::join(&mut self.s_item.tag, &mut self.item.tag);
        }
    }
}

#[test]
fn joins_each_member_in_its_direction() {
    #[block]
    struct Pair {
        pub s_item: Item<In, 8>,
        pub m_item: Item<Out, 8>,
        one: Slot,
        two: Slot,
    }
    impl Logic for Pair {
        #[hdl_gen]
        fn update(&mut self) {
            Wire::join(&mut self.s_item, &mut self.one.s_item);
            Wire::join(&mut self.one.m_item, &mut self.two.s_item);
            Wire::join(&mut self.two.m_item, &mut self.m_item);
        }
    }
    let design = emitted(&Pair::default()).unwrap();
    let ports: Vec<&str> = design.ports.iter().map(|p| p.name.as_str()).collect();
    let of = |stream: &str| {
        ["valid", "ready", "word", "tag_color", "tag_mark_0", "tag_mark_1"]
            .map(|member| format!("{stream}_{member}"))
    };
    let expected = [&["clock".into(), "reset".into()][..], &of("s_item"), &of("m_item")].concat();
    assert_eq!(ports, expected);
    let pair = &design.modules[1].1;
    for line in [
        "assign s_item_ready = one_s_item_ready;",
        ".m_item_ready(two_s_item_ready)",
        ".s_item_tag_mark_1(one_m_item_tag_mark_1)",
        "assign m_item_word = two_m_item_word;",
        ".m_item_ready(m_item_ready)",
    ] {
        assert!(pair.contains(line), "{line}\n{pair}");
    }
    let slot = &design.modules[0].1;
    for line in ["assign m_item_valid = item_valid;", "item_tag_mark_1_next = s_item_tag_mark_1;"] {
        assert!(slot.contains(line), "{line}\n{slot}");
    }
}

/// Members of an item, one missing.
#[bundle]
struct Less {
    pub valid: Bit,
    #[back]
    pub ready: Bit,
    pub word: Bits<8>,
}

impl<A: crate::Kind, B: crate::Kind> crate::Joins<Item<B, 8>> for Less<A> {}

#[test]
fn refuses_a_join_with_a_member_that_has_no_partner() {
    #[block]
    struct Odd {
        pub s_item: Less<In>,
        slot: Slot,
        pub m_item: Item<Out, 8>,
    }
    impl Logic for Odd {
        #[hdl_gen]
        fn update(&mut self) {
            Wire::join(&mut self.s_item, &mut self.slot.s_item);
            Wire::join(&mut self.slot.m_item, &mut self.m_item);
        }
    }
    let error = emitted(&Odd::default()).expect_err("accepted").to_string();
    assert!(error.contains("`slot.s_item.tag.color` has no partner in `s_item`"), "{error}");
}

#[test]
fn refuses_a_join_of_two_sources() {
    #[block]
    struct Clash {
        pub s_item: Item<In, 8>,
        slot: Slot,
        pub m_item: Item<Out, 8>,
    }
    impl Logic for Clash {
        #[hdl_gen]
        fn update(&mut self) {
            Wire::join(&mut self.s_item, &mut self.slot.m_item);
            Wire::join(&mut self.slot.m_item, &mut self.m_item);
        }
    }
    let error = emitted(&Clash::default()).expect_err("accepted").to_string();
    assert!(error.contains("neither `s_item.valid` nor `slot.m_item.valid` drives"), "{error}");
}

#[test]
fn puts_the_parts_of_a_kernel_where_they_are_named() {
    #[block]
    struct Parts {
        pub x: Signal<In, Bits<8>>,
        pub y: Signal<Out, Bits<8>>,
        count: Reg<Bits<8>>,
    }
    #[kernel]
    impl Parts {
        fn update(&mut self) {
            self.counting();
            self.y.next = self.count.val();
        }

        /// Counts up, and
        /// down.
        fn counting(&mut self) {
            if self.x.val().get_bit(0) {
                self.count.next = self.count.val() + 1;
            }
            self.down();
        }

        fn down(&mut self) {
            if self.x.val().get_bit(1) {
                self.count.next = self.count.val() - 1;
            }
        }
    }
    let kernel = "    always @(*) begin
        count_next = count;
        // Counts up, and down.
        if (x[0]) begin
            count_next = count + 8'd1;
        end
        if (x[1]) begin
            count_next = count - 8'd1;
        end
    end

    assign y = count;
";
    let text = text(&Parts::default());
    assert!(text.contains(kernel), "{text}");
}
