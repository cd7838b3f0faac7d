//! Small blocks: what is refused and why, and how the accepted forms read.

use crate::{emit_block, Design, EmitError, Module, Rule};
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// A block with inputs and registers of several kinds; the kernel is the caller's, with `self`
/// and attribute, for rust-hdl's macros must see all of it from one place.
macro_rules! block {
    ($name:ident { $($kernel:tt)* }) => {
        #[derive(LogicBlock)]
        struct $name {
            module_type: Module<Self>,
            pub clock: Signal<In, Clock>,
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub p: Signal<In, Bits<24>>,
            pub s: Signal<In, Signed<8>>,
            pub f: Signal<In, Bit>,
            pub y: Signal<Out, Bits<8>>,
            pub z: Signal<Out, Bits<16>>,
            pub g: Signal<Out, Bit>,
            inner: Signal<Local, Bits<8>>,
            narrow: DFF<Bits<8>>,
            wide: DFF<Bits<16>>,
            flag: DFF<Bit>,
            half: Constant<Bits<24>>,
            zero: Constant<Signed<8>>,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    module_type: Default::default(),
                    clock: Default::default(),
                    a: Default::default(),
                    b: Default::default(),
                    p: Default::default(),
                    s: Default::default(),
                    f: Default::default(),
                    y: Default::default(),
                    z: Default::default(),
                    g: Default::default(),
                    inner: Default::default(),
                    narrow: Default::default(),
                    wide: Default::default(),
                    flag: Default::default(),
                    half: Constant::new(0x80_0000_u64.to_bits()),
                    zero: Constant::new(0.into()),
                }
            }
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

fn emitted(block: &mut impl Block) -> Result<Design, EmitError> {
    emit_block("uut", block, "test")
}

/// The block is refused for this rule, at this place.
#[track_caller]
fn refused(block: &mut impl Block, rule: Rule, place: &str) {
    let error = emitted(block).expect_err("accepted");
    let hit = error.findings.iter().any(|f| f.rule == rule && f.place == place);
    assert!(hit, "{rule:?} at {place} is missing in:\n{error}");
}

#[track_caller]
fn text(block: &mut impl Block) -> String {
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
            block!($name { $($kernel)* });
            refused(&mut $name::default(), Rule::$rule, $place);
        }
    )*};
}

refuse! {
    refuses_and_beside_compare AndCompare {
        #[hdl_gen]
        fn update(&mut self) {
            if self.a.val() & 0x0f == 3 { self.flag.d.next = true; }
        }
    } Precedence "uut";
    refuses_or_beside_compare OrCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = self.a.val() | self.b.val() == 0xff;
        }
    } Precedence "uut.flag.d";
    refuses_sum_under_compare SumCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = (self.a.val() + 1) == self.b.val();
        }
    } Spill "uut.flag.d";
    refuses_difference_under_compare DifferenceCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = (self.a.val() - self.b.val()) < 128;
        }
    } Spill "uut.flag.d";
    refuses_serial_compare_of_an_expression SerialCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = (self.p.val() - self.half.val()) < 0x80_0000;
        }
    } Spill "uut.flag.d";
    refuses_not_under_compare NotCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = !self.a.val() == 0;
        }
    } Spill "uut.flag.d";
    refuses_sum_under_shift SumShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.d.next = (self.a.val() + 1) >> 1;
        }
    } Spill "uut.narrow.d";
    refuses_shift_under_compare ShiftCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = (self.a.val() << 4) == 0x30;
        }
    } Spill "uut.flag.d";
    refuses_cast_of_a_sum CastSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.d.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
        }
    } Spill "uut.wide.d";
    refuses_cast_of_a_difference CastDifference {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.d.next = bit_cast::<16, 8>(self.a.val() - self.b.val());
        }
    } Spill "uut.wide.d";
    refuses_cast_of_not CastNot {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.d.next = bit_cast::<16, 8>(!self.a.val());
        }
    } Spill "uut.wide.d";
    refuses_signed_compare_with_literal SignedLiteral {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = self.s.val() < 0.into();
        }
    } SignedLiteral "uut.flag.d";
    refuses_any_of_a_sum AnySum {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = (self.a.val() + self.b.val()).any();
        }
    } Spill "uut.flag.d";
    refuses_slice_of_an_expression SliceSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = (self.a.val() + self.b.val()).get_bit(7);
        }
    } Form "uut.flag.d";
    refuses_narrowing_of_a_shift NarrowShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.d.next = bit_cast::<8, 24>(self.p.val() >> 3);
        }
    } Form "uut.narrow.d";
    refuses_const_names ConstName {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.d.next = LIMIT.into();
        }
    } Undeclared "uut.narrow.d";
    refuses_literals_that_do_not_fit TooWide {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = self.a.val() == 0x1ff;
        }
    } Width "uut.flag.d";
    refuses_slices_outside_of_the_signal Outside {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.d.next = self.a.val().get_bit(8);
        }
    } Form "uut.flag.d";
    refuses_dynamic_clocks GatedClock {
        #[hdl_gen]
        fn update(&mut self) {
            if self.f.val() { self.narrow.clock.next = self.clock.val(); }
        }
    } Structure "uut.narrow.clock";
}

const LIMIT: u64 = 3;

/// A block of its own kernel: fields, then the kernel.
macro_rules! shape {
    ($name:ident { $($field:ident: $type:ty),* $(,)? } { $($kernel:tt)* }) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            module_type: Module<Self>,
            pub clock: Signal<In, Clock>,
            pub x: Signal<In, Bits<8>>,
            pub y: Signal<Out, Bits<8>>,
            r: DFF<Bits<8>>,
            $($field: $type,)*
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
            dff_setup!(self, clock, r);
            if self.x.val().get_bit(0) { self.l.next = self.x.val(); }
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut Latch::default(), Rule::Latch, "uut.l");
}

#[test]
fn refuses_partial_match() {
    shape!(Partial { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            match self.x.val().index() {
                0 => { self.l.next = self.x.val(); }
                1 => { self.l.next = self.r.q.val(); }
                _ => {}
            }
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut Partial::default(), Rule::Latch, "uut.l");
}

#[test]
fn refuses_undriven_output_and_local() {
    shape!(Undriven { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.r.d.next = self.x.val();
        }
    });
    refused(&mut Undriven::default(), Rule::Undriven, "uut.y");
    refused(&mut Undriven::default(), Rule::Undriven, "uut.l");
}

#[test]
fn refuses_undriven_instance_input() {
    shape!(Inner { } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.r.d.next = self.x.val();
            self.y.next = self.r.q.val();
        }
    });
    shape!(Outer { inner: Inner } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.inner.clock.next = self.clock.val();
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut Outer::default(), Rule::Undriven, "uut.inner_x");
}

#[test]
fn refuses_register_without_clock() {
    shape!(NoClock { s: DFF<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.s.d.next = self.x.val();
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut NoClock::default(), Rule::Undriven, "uut.s");
}

#[test]
fn refuses_early_read() {
    shape!(Early { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.r.d.next = self.l.val();
            self.l.next = self.x.val();
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut Early::default(), Rule::ReadFirst, "uut.l");
}

#[test]
fn refuses_path_from_input_to_output() {
    shape!(Mealy { l: Signal<Local, Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.l.next = self.x.val();
            self.y.next = self.l.val() & self.r.q.val();
        }
    });
    refused(&mut Mealy::default(), Rule::Moore, "uut.y");
}

#[test]
fn refuses_path_through_a_condition() {
    shape!(MealyIf { } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.y.next = 0.into();
            if self.x.val().any() { self.y.next = self.r.q.val(); }
        }
    });
    refused(&mut MealyIf::default(), Rule::Moore, "uut.y");
}

#[test]
fn refuses_keywords() {
    shape!(Keyword { table: DFF<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            dff_setup!(self, clock, table);
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut Keyword::default(), Rule::Keyword, "uut.table.q");
}

#[test]
fn refuses_collisions() {
    shape!(Collide { r_next: DFF<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            dff_setup!(self, clock, r_next);
            self.y.next = self.r.q.val();
        }
    });
    refused(&mut Collide::default(), Rule::Collision, "uut.r_next.q");
}

#[test]
fn refuses_forgotten_hdl_gen() {
    #[derive(LogicBlock, Default)]
    struct Forgot {
        module_type: Module<Self>,
        pub y: Signal<Out, Bits<8>>,
    }
    impl Logic for Forgot {
        fn update(&mut self) {
            self.y.next = 0.into();
        }
    }
    refused(&mut Forgot::default(), Rule::EmptyKernel, "uut");
}

#[test]
fn refuses_blocks_without_marker() {
    #[derive(LogicBlock, Default)]
    struct Unmarked {
        pub clock: Signal<In, Clock>,
        pub y: Signal<Out, Bits<8>>,
        r: DFF<Bits<8>>,
    }
    impl Logic for Unmarked {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.y.next = self.r.q.val();
        }
    }
    refused(&mut Unmarked::default(), Rule::Structure, "uut");
}

#[test]
fn keeps_the_name_dff_for_flip_flops_only() {
    #[derive(LogicBlock, Default)]
    struct Fake {
        pub d: Signal<In, Bits<8>>,
        pub q: Signal<Out, Bits<8>>,
        pub clock: Signal<In, Clock>,
    }
    impl Logic for Fake {
        fn update(&mut self) {}
        fn connect(&mut self) {
            self.q.connect();
        }
        fn hdl(&self) -> Verilog {
            Verilog::Custom("always @(negedge clock) q <= d;".into())
        }
    }
    shape!(UsesFake { fake: Fake } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.fake.clock.next = self.clock.val();
            self.fake.d.next = self.x.val();
            self.y.next = self.fake.q.val();
        }
    });
    refused(&mut UsesFake::default(), Rule::Structure, "uut.fake");
}

#[test]
fn prints_exact_widths() {
    block!(Widths {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, narrow, wide, flag);
            self.y.next = self.narrow.q.val();
            self.z.next = self.wide.q.val();
            self.g.next = self.flag.q.val();
            self.inner.next = self.a.val();
        self.wide.d.next = bit_cast::<16, 8>(self.a.val());
        self.narrow.d.next = bit_cast::<8, 24>(self.p.val());
        self.flag.d.next = (self.a.val() & 15) == 3;
        }
    });
    let text = text(&mut Widths::default());
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
fn puts_reset_and_registers_at_the_edge() {
    shape!(Reset { reset: Signal<In, Bit>, t: DFF<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r, t);
            comment!("Counts.");
            if self.x.val().get_bit(3) {
                self.r.d.next = self.r.q.val() + 1;
            }
            self.t.d.next = self.r.q.val();
            self.y.next = self.t.q.val();
            if self.reset.val() {
                self.r.d.next = 7.into();
            }
        }
    });
    let text = text(&mut Reset::default());
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

#[test]
fn shares_equal_modules_and_names_different_ones_by_size() {
    #[derive(LogicBlock, Default)]
    struct Delay<const W: usize> {
        module_type: Module<Self>,
        pub clock: Signal<In, Clock>,
        pub d: Signal<In, Bits<W>>,
        pub q: Signal<Out, Bits<W>>,
        r: DFF<Bits<W>>,
    }
    impl<const W: usize> Logic for Delay<W> {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.r.d.next = self.d.val();
            self.q.next = self.r.q.val();
        }
    }
    shape!(Top { one: Delay<8>, two: Delay<8>, bit: Delay<4> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.one.clock.next = self.clock.val();
            self.two.clock.next = self.clock.val();
            self.bit.clock.next = self.clock.val();
            self.one.d.next = self.x.val();
            self.two.d.next = self.one.q.val();
            self.bit.d.next = bit_cast::<4, 8>(self.two.q.val());
            self.r.d.next = bit_cast::<8, 4>(self.bit.q.val());
            self.y.next = self.r.q.val();
        }
    });
    let mut top = Top::default();
    let error = emitted(&mut top).expect_err("`bit` is a keyword");
    assert_eq!(error.findings[0].rule, Rule::Keyword);
    shape!(Top2 { one: Delay<8>, two: Delay<8>, four: Delay<4> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.one.clock.next = self.clock.val();
            self.two.clock.next = self.clock.val();
            self.four.clock.next = self.clock.val();
            self.one.d.next = self.x.val();
            self.two.d.next = self.one.q.val();
            self.four.d.next = bit_cast::<4, 8>(self.two.q.val());
            self.r.d.next = bit_cast::<8, 4>(self.four.q.val());
            self.y.next = self.r.q.val();
        }
    });
    let design = emitted(&mut Top2::default()).unwrap();
    let names: Vec<&str> = design.modules.iter().map(|m| m.0.as_str()).collect();
    assert_eq!(names, ["delay_8", "delay_4", "uut"]);
    assert!(design.modules[2].1.contains(".d(one_q)"), "{}", design.modules[2].1);
}

#[test]
fn renames_an_instance_that_its_module_would_hide() {
    shape!(Holder { word: DFF<Bits<8>> } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r, word);
            self.r.d.next = self.x.val();
            self.word.d.next = self.r.q.val();
            self.y.next = self.word.q.val();
        }
    });
    shape!(Around { word: Holder } {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, r);
            self.word.clock.next = self.clock.val();
            self.word.x.next = self.x.val();
            self.r.d.next = self.word.y.val();
            self.y.next = self.r.q.val();
        }
    });
    let text = text(&mut Around::default());
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
