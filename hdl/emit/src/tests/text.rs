//! How the Verilog of accepted blocks reads.

use super::{emitted, refused, text};
use crate::{Design, Reg, Rule, Unreset};
use nic_block::{block, kernel};
use rust_hdl_core::prelude::*;

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
            } else {
                self.down();
            }
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
        end else if (x[1]) begin
            count_next = count - 8'd1;
        end
    end

    assign y = count;
";
    let text = text(&Parts::default());
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
    names_begin_with_a_prefix(&design);
}

/// Modules and what names them; a name that begins so stays, and two never become one.
fn names_begin_with_a_prefix(design: &Design) {
    let with = |prefix: &str| {
        let design = design.with_prefix(prefix);
        let names: Vec<String> = design.modules.iter().map(|m| m.0.clone()).collect();
        for (name, text) in &design.modules {
            assert!(text.contains(&format!("\nmodule {name} (")), "{name}: {text}");
        }
        let (top, text) = design.modules.last().expect("a design has a top");
        assert_eq!(*top, design.top);
        assert!(text.contains(&format!("    {} one (", names[0])), "{text}");
        assert!(text.contains(&format!("    {} four (", names[1])), "{text}");
        names
    };
    assert_eq!(with("mine"), ["mine_delay_8", "mine_delay_4", "mine_uut"]);
    assert_eq!(with("delay"), ["delay_8", "delay_4", "delay_uut"]);
    assert_eq!(with("uut"), ["uut_delay_8", "uut_delay_4", "uut"]);
    assert_eq!(with("ut"), ["ut_delay_8", "ut_delay_4", "ut_uut"]);
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

#[test]
fn a_prefix_makes_no_two_names_one() {
    shape!(OneDelay {} {
        #[hdl_gen]
        fn update(&mut self) {
            self.r.next = self.x.val();
            self.y.next = self.r.val();
        }
    });
    shape!(Both { plain: Delay<8>, one: OneDelay } {
        #[hdl_gen]
        fn update(&mut self) {
            self.plain.d.next = self.x.val();
            self.one.x.next = self.plain.q.val();
            self.r.next = self.one.y.val();
            self.y.next = self.r.val();
        }
    });
    let design = emitted(&Both::default()).unwrap().with_prefix("one");
    let names: Vec<&str> = design.modules.iter().map(|m| m.0.as_str()).collect();
    assert_eq!(names, ["one_delay_v2", "one_delay", "one_uut"]);
    let top = &design.modules[2].1;
    assert!(
        top.contains("    one_delay_v2 plain (") && top.contains("    one_delay one ("),
        "{top}"
    );
}
