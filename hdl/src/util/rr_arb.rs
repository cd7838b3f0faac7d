//! Round-robin arbiter over N requests, grouped, in two stages.
//!
//! # Interface timing  cycle 0: request; cycle 2: m_valid, m_index, both held until m_ready.
//!                     Requests are looked at again from the cycle after m_ready on, so a
//!                     requester takes its line down in that cycle unless it wants another grant
//! # Latency and rate  [`LATENCY_CYCLES`] from an idle arbiter; one grant every 3 cycles
//! # Shape             N = G * M requests in G groups of M, 2^GB = G >= 2, 2^MB = M >= 2,
//!                     NB = GB + MB
//! # Fairness          the first request above the last grant, cyclically: nobody waits for more
//!                     than N - 1 grants
//! # Reset             synchronous, high: idle, m_index = N - 1 (so 0 is looked at first)
//! # Twins             sim/models/src/golden/util/rr_arb.rs, tests/util/rr_arb.rs

use crate::block;
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// Cycles from a request to its grant in an idle arbiter.
pub const LATENCY_CYCLES: usize = 2;
/// Cycles from a grant to the next one at the earliest.
pub const GRANT_CYCLES: usize = 3;

/// Arbiter over `N = G * M` requests with an index of `NB` bits.
#[block(check(N == 1 << NB && G.is_power_of_two() && G >= 2 && N / G >= 2))]
pub struct RrArb<const N: usize, const G: usize, const NB: usize> {
    /// One line a requester.
    pub request: Signal<In, Bits<N>>,
    /// A grant stands.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// Whom it is for; the last grant while m_valid is low.
    pub m_index: Signal<Out, Bits<NB>>,
}

/// Function that gives the index of the lowest 1 of `width` bits.
fn lowest_function(name: &str, width: usize) -> String {
    let bits = width.trailing_zeros() as usize;
    let mut text = format!(
        "function [{}:0] {name}(input [{}:0] set);\n    casez (set)\n",
        bits - 1,
        width - 1
    );
    for i in 0..width - 1 {
        let pattern = "?".repeat(width - 1 - i) + "1" + &"0".repeat(i);
        let _ = writeln!(text, "        {width}'b{pattern}: {name} = {bits}'d{i};");
    }
    let _ = writeln!(text, "        default: {name} = {bits}'d{};", width - 1);
    text + "    endcase\nendfunction\n"
}

fn arbiter(request_count: usize, group_count: usize) -> String {
    let members = request_count / group_count;
    let (gb, mb) = (group_count.trailing_zeros(), members.trailing_zeros());
    let mut text =
        lowest_function("lowest_group", group_count) + &lowest_function("lowest_member", members);
    let _ = writeln!(
        text,
        "wire [{g}:0] last_group = m_index[{top}:{mb}];\n\
         wire [{m}:0] last_member = m_index[{m}:0];\n\
         // Members and groups above the last grant.\n\
         wire [{mh}:0] members_above = ({{{members}{{1'b1}}}} << last_member) << 1;\n\
         wire [{gh}:0] groups_above = ({{{group_count}{{1'b1}}}} << last_group) << 1;\n\
         wire [{mh}:0] own_group = request[last_group * {members} +: {members}];",
        g = gb - 1,
        m = mb - 1,
        top = gb + mb - 1,
        mh = members - 1,
        gh = group_count - 1,
    );
    let mut declare = format!(
        "// Stage 1: the first request of each group, and of the rest of the last grant's group.\n\
         reg [{}:0] group_any;\nreg tail_any;\nreg [{}:0] tail_member;\nreg sampled;\n",
        group_count - 1,
        mb - 1
    );
    let mut load = String::new();
    let mut choose = String::new();
    for i in 0..group_count {
        let range = format!("request[{}:{}]", (i + 1) * members - 1, i * members);
        let _ = writeln!(declare, "reg [{}:0] first_{i};", mb - 1);
        let _ = writeln!(load, "    group_any[{i}] <= |{range};");
        let _ = writeln!(load, "    first_{i} <= lowest_member({range});");
        let _ = writeln!(choose, "        {gb}'d{i}: first = first_{i};");
    }
    let _ = write!(
        text,
        "{declare}
// Stage 2: that rest, else the groups above, else the lowest group.
wire [{gh}:0] above = group_any & groups_above;
wire [{g}:0] winner_group = |above ? lowest_group(above) : lowest_group(group_any);
reg [{m}:0] first;
always @(*) begin
    case (winner_group)
{choose}        default: first = {mb}'d0;
    endcase
end

always @(posedge clock) begin
    tail_any <= |(own_group & members_above);
    tail_member <= lowest_member(own_group & members_above);
{load}    if (reset) begin
        m_valid <= 1'b0;
        m_index <= {nb}'d{last};
        sampled <= 1'b0;
    end else if (m_valid) begin
        if (m_ready) m_valid <= 1'b0;
        sampled <= 1'b0;
    end else begin
        sampled <= 1'b1;
        if (sampled && (|group_any)) begin
            m_valid <= 1'b1;
            m_index <= tail_any ? {{last_group, tail_member}} : {{winner_group, first}};
            sampled <= 1'b0;
        end
    end
end
",
        gh = group_count - 1,
        g = gb - 1,
        m = mb - 1,
        nb = gb + mb,
        last = request_count - 1,
    );
    text
}

impl<const N: usize, const G: usize, const NB: usize> Logic for RrArb<N, G, NB> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(arbiter(N, G))
    }
}
