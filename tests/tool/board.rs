//! The hand-written Verilog of boards/ in its own test benches, under iverilog; that of Alveo cards
//! under Verilator's lint and Yosys too.

use nic_hdl::emit::Layout;
use nic_spec::NicConfig;
use rdma_nic::tried;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of boards/, what stands there, and what takes its place.
type Change = (&'static str, &'static str, &'static str);

const FIFO: &str = "common/async_fifo.v";
const TX: &str = "alveo/cmac_tx.v";
const RX: &str = "alveo/cmac_rx.v";
const FRAMES: &str = "alveo/test/cmac_frames.vh";
const ALVEO: [&str; 5] = ["alveo/nic_100g.v", "alveo/reset_sync.v", TX, RX, FIFO];

fn boards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("boards")
}

/// Whether a command succeeds in `dir`, and what it prints.
fn run(dir: &Path, program: &str, arguments: &[&str]) -> (bool, String) {
    let done = Command::new(program).args(arguments).current_dir(dir).output();
    let done = done.unwrap_or_else(|e| panic!("{program}: {e}; scripts/setup installs it"));
    let text = [done.stdout, done.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
    (done.status.success(), text.concat())
}

/// The files of boards/, changed, in a folder of the test's own.
fn copied(folder: &str, files: &[&str], changes: &[Change]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("board").join(folder);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the folder can be made");
    for file in files {
        let mut text = std::fs::read_to_string(boards().join(file)).expect("a file of boards/");
        for (_, from, to) in changes.iter().filter(|(of, ..)| of == file) {
            assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
            text = text.replace(from, to);
        }
        let name = Path::new(file).file_name().expect("a name");
        std::fs::write(dir.join(name), text).expect("the folder is writable");
    }
    dir
}

/// Compiles all Verilog of a folder.
fn compile(dir: &Path, top: &str, options: &str) {
    let command = format!("iverilog -g2005 {options} -s {top} -o bench *.v");
    let (done, text) = run(dir, "sh", &["-c", &command]);
    assert!(done, "{command}: {text}");
}

/// Whether a compiled bench passes, and what it prints.
fn simulate(dir: &Path, argument: &str) -> (bool, String) {
    let (done, text) = run(dir, "vvp", &["-n", "bench", argument]);
    assert!(done, "{text}");
    (text.lines().any(|line| line == "PASS"), text)
}

#[test]
fn board_mac_carries_frames_of_all_lengths_and_finds_wrong_bits() {
    let files = ["ecp5-85/test/mac_tb.v", "ecp5-85/mac_tx.v", "ecp5-85/mac_rx.v", FIFO];
    let dir = copied("mac", &files, &[]);
    compile(&dir, "mac_tb", "");
    let (passed, text) = simulate(&dir, "");
    assert!(passed, "{text}");
}

/// A CMAC's side in its bench.
struct Cmac {
    name: &'static str,
    files: [&'static str; 4],
}

const CMAC_TX: Cmac =
    Cmac { name: "cmac_tx", files: [FRAMES, "alveo/test/cmac_tx_tb.v", TX, FIFO] };
const CMAC_RX: Cmac =
    Cmac { name: "cmac_rx", files: [FRAMES, "alveo/test/cmac_rx_tb.v", RX, FIFO] };

/// Bits of the pointers reach the other clock at different times, as far apart as the constraints
/// allow: up to 3 ns.
const SKEW: [Change; 4] = [
    (FIFO, "`default_nettype none", "`timescale 1ps / 1ps\n`default_nettype none"),
    (FIFO, "<= {write_gray_1, write_gray};", "<= {write_gray_1, write_wires};"),
    (FIFO, "<= {read_gray_1, read_gray};", "<= {read_gray_1, read_wires};"),
    (
        FIFO,
        "    wire load =",
        "    reg [AW:0] write_wires = 0, read_wires = 0;
    integer wire_index;
    always @(write_gray) for (wire_index = 0; wire_index <= AW; wire_index = wire_index + 1)
        write_wires[wire_index] <= #($urandom % 3000) write_gray[wire_index];
    always @(read_gray) for (wire_index = 0; wire_index <= AW; wire_index = wire_index + 1)
        read_wires[wire_index] <= #($urandom % 3000) read_gray[wire_index];
    wire load =",
    ),
];

impl Cmac {
    /// What the bench says of changed Verilog with the first seed that it fails.
    fn bench(&self, folder: &str, changes: &[Change], options: &str, seeds: u32) -> Option<String> {
        let dir = copied(&format!("{}_{folder}", self.name), &self.files, changes);
        compile(&dir, &format!("{}_tb", self.name), options);
        let mut runs = (1..=seeds).map(|seed| simulate(&dir, &format!("+seed={seed}")));
        runs.find(|(passed, _)| !passed).map(|(_, text)| text)
    }
}

#[test]
fn board_cmac_tx_sends_whole_frames_without_a_gap() {
    assert_eq!(CMAC_TX.bench("seeds", &[], "", 4), None);
    assert_eq!(CMAC_TX.bench("skew", &SKEW, "", 2), None);
}

#[test]
fn board_cmac_rx_gives_a_frame_whole_or_bad_and_counts_the_lost() {
    assert_eq!(CMAC_RX.bench("seeds", &[], "", 4), None);
    assert_eq!(CMAC_RX.bench("small", &[], "-Pcmac_rx_tb.AW=5", 4), None);
    assert_eq!(CMAC_RX.bench("skew", &SKEW, "", 2), None);
}

const TX_FAULTS: &[Change] = &[
    // A frame starts before it is whole.
    (TX, "ended <= last;", "ended <= beats == 0;"),
    (TX, "(in_frame || verdict_valid)", "1'b1"),
    (TX, "(!tx_axis_tvalid || tx_axis_tready)", "1'b1"),
    // Long frames: not marked, not cut, their rest sent.
    (TX, "cut <= !s_axis_tlast;", "cut <= 1'b0;"),
    (TX, "beats == FRAME_BEATS_MAX - 1'b1", "1'b0"),
    (TX, "(skip || is_longest)", "1'b0"),
    // Short ones: not filled, filled with anything.
    (TX, "(beats == 0 ? SHORTEST : 64'd0)", "64'd0"),
    (TX, "& {8{s_axis_tkeep[lane]}}", ""),
    // Room for beats, and for verdicts.
    (TX, "beat_room && (verdict_room", "(verdict_room"),
    (TX, "&& (verdict_room || !ended)", ""),
    // The rest of a frame after the CMAC's reset; the verdict of another.
    (TX, "(drop || usr_tx_reset) && stays", "1'b0"),
    (TX, "in_frame ? bad : verdict_bad", "bad"),
    (TX, "beat_last && is_bad", "is_bad"),
    // A reset of all: a frame has no end, or a good one.
    (TX, "tx_axis_tvalid && !(tx_axis_tready && tx_axis_tlast);", "1'b0;"),
    (TX, "tx_axis_tuser || !tx_axis_tlast;", "1'b0;"),
    (FIFO, "write_gray != full_gray", "1'b1"),
    (FIFO, "(m_ready || !m_valid) &&", ""),
];

const RX_FAULTS: &[Change] = &[
    // What was cut is good, goes on as the next frame, has no end, has two.
    (RX, "rx_axis_tuser || owed", "rx_axis_tuser"),
    (RX, "rx_axis_tlast || owed", "rx_axis_tlast"),
    (RX, "if (begun && (lose || usr_rx_reset)) owed <= 1'b1;", ""),
    (RX, "(lose || usr_rx_reset)) owed", "lose) owed"),
    (RX, "!owed && !skip", "!owed"),
    (RX, "!owed && !skip", "!skip"),
    (RX, "if (room) owed", "owed"),
    // Counted too seldom, too often.
    (RX, "(begun && usr_rx_reset)) lost", "1'b0) lost"),
    (RX, "(lose && !skip)", "lose"),
    (RX, "{rx_axis_tuser ||", "{1'b0 ||"),
    // After a reset of all comes the end of a frame alone.
    (RX, "if (!rx_axis_tvalid) skip <= skip || begun;", ""),
    (RX, "&& !cmac_reset;", "; // &&"),
    (FIFO, "write_gray != full_gray", "1'b1"),
    (FIFO, "(m_ready || !m_valid) &&", ""),
];

#[test]
fn board_cmac_benches_find_faults() {
    for (cmac, faults, options) in
        [(CMAC_TX, TX_FAULTS, ""), (CMAC_RX, RX_FAULTS, "-Pcmac_rx_tb.AW=5")]
    {
        let found = |fault: &Change| cmac.bench("fault", &[*fault], options, 2).is_some();
        let missed: Vec<_> = tried(faults).filter(|fault| !found(fault)).collect();
        assert!(missed.is_empty(), "not noticed: {missed:?}");
    }
}

/// The files of the 100G top with the NIC that it holds.
fn nic_100g(folder: &str, more: &[&str]) -> PathBuf {
    let config = NicConfig::preset("hundred").expect("it is a preset");
    let design = nic_hdl::emit::by_name("nic", &config).unwrap_or_else(|e| panic!("{e}"));
    let dir = copied(folder, &[&ALVEO, more].concat(), &[]);
    design.write_dir(&dir, Layout::FilePerModule).expect("the folder is writable");
    let (file, text) = design.axi_top().expect("it has registers");
    std::fs::write(dir.join(file), text).expect("the folder is writable");
    dir
}

#[test]
fn board_nic_100g_writes_through_cmac_and_bridge() {
    let dir = nic_100g("nic_100g", &["alveo/test/nic_100g_tb.v"]);
    compile(&dir, "nic_100g_tb", "");
    let (passed, text) = simulate(&dir, "");
    assert!(passed, "{text}");
    // The bench sees a driver that allows one read too many.
    let (passed, text) = simulate(&dir, "+reads_max=33");
    assert!(!passed && text.contains("more reads than the bridge allows"), "{text}");
}

#[test]
fn board_nic_100g_is_lint_clean() {
    let dir = nic_100g("lint", &[]);
    let lint = "verilator --lint-only -Wall --top-module nic_100g *.v";
    assert_eq!(run(&dir, "sh", &["-c", lint]), (true, String::new()));
    let text = std::fs::read_to_string(dir.join("cmac_rx.v")).expect("it was copied");
    std::fs::write(dir.join("cmac_rx.v"), text.replace("+ 32'd1", "+ 33'd1")).expect("writable");
    let (clean, text) = run(&dir, "sh", &["-c", lint]);
    assert!(!clean && text.contains("WIDTH"), "{text}");
}

/// Whether Yosys makes a netlist for UltraScale+ without a latch, a loop or an undriven net, whose
/// beats are in block RAM; and what it says.
fn netlist(folder: &str, cmac: &Cmac, changes: &[Change]) -> (bool, String) {
    let dir = copied(folder, &cmac.files[2..], changes);
    let top = cmac.name;
    let script = format!(
        "read_verilog {top}.v async_fifo.v; \
         synth_xilinx -family xcup -flatten -noiopad -top {top}; check -assert; \
         select -assert-none t:LD* t:$_DLATCH*; select -assert-count 17 t:RAMB18E2"
    );
    run(&dir, "yosys", &["-q", "-p", &script])
}

#[test]
fn board_cmac_netlists_have_no_latch() {
    for cmac in [CMAC_TX, CMAC_RX] {
        let (good, text) = netlist(&format!("netlist_{}", cmac.name), &cmac, &[]);
        assert!(good, "{text}");
    }
    let latch = (TX, "always @* for (lane", "always @* if (s_axis_tvalid) for (lane");
    let (good, text) = netlist("netlist_latch", &CMAC_TX, &[latch]);
    assert!(!good, "{text}");
}

/// Cells that the constraints name are registers of the Verilog.
#[test]
fn board_alveo_constraints_name_registers() {
    let read = |file: &str| std::fs::read_to_string(boards().join(file)).expect("of boards/");
    let constraints = read("alveo/nic_100g.xdc");
    let verilog: String = ALVEO.iter().map(|file| read(file)).collect();
    let declared = verilog.split(';').filter(|part| part.contains("reg "));
    let declared: Vec<&str> = declared.flat_map(|part| part.split([' ', ','])).collect();
    let mut cells: Vec<&str> = constraints.split("_reg").collect();
    cells.pop();
    let named = cells.iter().map(|before| before.rsplit([' ', '/']).next().unwrap_or_default());
    let named: Vec<&str> = named.collect();
    assert_eq!(named.len(), 7, "{named:?}");
    let unknown: Vec<_> = named.iter().filter(|name| !declared.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
