//! Joins of streams and bundles.

use super::emitted;
use crate::{Regs, Wire};
use nic_block::{block, bundle, stream};
use rust_hdl_core::prelude::*;

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
