//! Mistakes in what the board has beside the NIC, one at a time: each must be noticed. One model
//! holds them all, and an input of its own chooses.

use super::bench::{open, read, request, source, write, Bench};
use super::responses;
use ecpix5::simulated::Harm;
use nic_driver::rings::HostMemory;
use nic_harness::parallel::side_by_side;
use nic_spec::serial::HOST_MEMORY_BYTES;
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Input of the top level: which mistake is made; 0 is none.
const MISTAKE: &str = "mistake";
/// Module, what stands there, and what takes its place; `MADE` is true while the mistake is made.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("mac_rx", "crc != RESIDUE)", "(crc != RESIDUE && !MADE))"),
    ("mac_rx", "if (phy_error)", "if (phy_error && !MADE)"),
    ("mac_rx", "tail_count == 3'd4;", "(tail_count == 3'd4 || (MADE && tail_count == 3'd3));"),
    ("mac_rx", "next_lane = beat_full ?", "next_lane = (beat_full && !MADE) ?"),
    ("mac_rx", "keep <= beat_full ?", "keep <= beat_full && !MADE ?"),
    ("mac_tx", "step == 4'd11", "step == (MADE ? 4'd9 : 4'd11)"),
    ("mac_tx", "crc <= 32'hffffffff;", "if (!MADE) crc <= 32'hffffffff;"),
    ("mac_tx", "phy_data <= beat[7:0];", "phy_data <= beat[7:0] ^ {7'd0, MADE};"),
    ("async_fifo", "write_gray != full_gray", "(write_gray != full_gray || MADE)"),
    ("async_fifo", "(m_ready || !m_valid) &&", "(m_ready || !m_valid || MADE) &&"),
    ("host_memory", "strobes = s_axi_wstrb;", "strobes = s_axi_wstrb | {8{MADE}};"),
    ("host_memory", "strobes = high_half;", "strobes = MADE ? low_half : high_half;"),
    (
        "host_memory",
        "rdata_next = ram_read_data[63:32];",
        "if (!MADE) rdata_next = ram_read_data[63:32];",
    ),
    ("host_memory", "if (!outside) begin", "if (!outside || MADE) begin"),
    ("host_memory", "write_above != nowhere;", "write_above != nowhere && !MADE;"),
    ("host_memory", "left_next = s_axi_arlen;", "left_next = s_axi_arlen + {7'd0, MADE};"),
    ("host_memory", "(!fetched || beats_s_ready);", "(!fetched || beats_s_ready || MADE);"),
    (
        "host_memory",
        "state_next = STATE_RESPOND;",
        "state_next = MADE ? STATE_IDLE : STATE_RESPOND;",
    ),
];

/// The board with all mistakes.
fn mistaken() -> nic_harness::verilator::Source {
    let mut source = source();
    for (number, (module, from, to)) in (1..).zip(MISTAKES) {
        let heads = [format!("module {module} "), format!("module ecpix5_core_{module} ")];
        let at = heads.iter().find_map(|head| source.text.find(head)).expect("the module");
        let found = source.text[at..].find(from).expect("what the mistake is made of");
        let place = at + found..at + found + from.len();
        let made = to.replace("MADE", &format!("(ecpix5.{MISTAKE} == 5'd{number})"));
        source.text.replace_range(place, &made);
    }
    let port = "input  wire       rst_n,";
    assert!(source.text.contains(port), "the top level's first pins");
    source.text = source.text.replacen(port, &format!("input wire [4:0] {MISTAKE}, {port}"), 1);
    source
}

/// A bit of everything that passes MAC, FIFOs and host memory; panics when something is wrong.
fn traffic(bench: Bench) {
    let end = HOST_MEMORY_BYTES as u64;
    let mut nic = open(bench, end + 4096);
    let mut memory: Vec<u8> = (0..32).collect();
    let words: Vec<u32> =
        memory.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().expect("4"))).collect();
    nic.bus().store(0, &words).expect("host memory");
    let frame = write(0, 3, b"harmed");
    for harm in [Harm::Fcs, Harm::Marked] {
        assert_eq!(nic.bus().feed(&frame, harm).len(), 0, "{harm:?}");
    }
    // Each count of bytes in the last beat.
    for (psn, bytes) in (0..8).zip(1..) {
        let payload = vec![0xa0 | psn as u8; bytes];
        assert_eq!(nic.bus().feed(&write(psn, 3, &payload), Harm::None).len(), 1, "{bytes} bytes");
        memory[3..3 + bytes].copy_from_slice(&payload);
    }
    let mut found = vec![0; words.len()];
    nic.bus().load(0, &mut found).expect("host memory");
    let found: Vec<u8> = found.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(found, memory, "by the serial line");
    // Responses come faster than they leave.
    let half: Vec<u8> = (0..1024_u32).map(|n| ((n * 7) >> 3) as u8).collect();
    nic.bus().board.phy.deliver(&write(8, 1024, &half), Harm::None);
    nic.bus().board.phy.deliver(&write(9, 2048, &half), Harm::None);
    nic.bus().board.phy.deliver(&read(10, 1024, 2048), Harm::None);
    let sent = nic.bus().sent();
    assert_eq!(responses(&sent), [&half[..], &half].concat(), "READ");
    let beyond = request(opcode::WRITE_ONLY, 12, end, 8, b"too far!");
    let answers = nic.bus().feed(&beyond, Harm::None);
    let answer = FrameRepr::parse(answers.first().expect("an answer"), None);
    let aeth = answer.expect("a good frame").aeth.expect("an ACK");
    assert_eq!(aeth.syndrome, syndrome::NAK_REMOTE_OPERATION);
    let mut word = [0];
    nic.bus().load(0, &mut word).expect("host memory");
    assert_eq!(word[0].to_le_bytes(), memory[..4], "nothing is written");
}

#[test]
fn ecpix5_mistakes_beside_the_nic_are_noticed() {
    let source = mistaken();
    let passes = |number: u64| {
        let traffic = || traffic(Bench::of(&source, 11, &[(MISTAKE, number)]));
        catch_unwind(AssertUnwindSafe(traffic)).is_ok()
    };
    assert!(passes(0), "without a mistake");
    let unnoticed = side_by_side(MISTAKES, |at, _| passes(at as u64 + 1));
    let missed = MISTAKES.iter().zip(unnoticed).filter(|(_, passes)| *passes);
    let missed: Vec<_> = missed.map(|(mistake, _)| mistake).collect();
    assert!(missed.is_empty(), "not noticed: {missed:?}");
}
