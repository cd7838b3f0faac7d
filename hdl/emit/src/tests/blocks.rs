//! Blocks that are refused: latches, loops, paths, names, registers without a clock.

use super::{emitted, refused};
use crate::{Reg, Rule, Unreset};
use nic_block::block;
use rust_hdl_core::prelude::*;

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
