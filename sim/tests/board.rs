//! Boards without the boards: their top level, Verilated, its UART at a pseudo-terminal, under
//! the command that talks to the real one.

use alchitry_cu::simulated::{self, Faults, SimulatedBoard};
use alchitry_cu::TOP;
use nic_harness::verilator::Source;
use serialport::{SerialPort, TTYPort};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::mpsc::channel;

const A: &str = "a_ramp_mi5.csv";
const B: &str = "b_5hop_random_mi5.csv";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("it is there")
}

/// The parameters with which a trace was made.
fn parameters(trace: &str) -> Vec<&'static str> {
    let (t_ns, w_init, w_ai) =
        if trace == A { ("4160", "52000", "26") } else { ("13000", "162500", "81.25") };
    vec![
        "--t-ns",
        t_ns,
        "--w-init-bytes",
        w_init,
        "--w-ai-bytes",
        w_ai,
        "--line-rate-gbps",
        "100",
        "--rate-min-mbps",
        "100",
    ]
}

fn nic(acks: &Path, port: &str, parameters: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nic"));
    command.arg("cc-replay").arg(acks).args(["--engine", "board", "--port", port]);
    command.args(parameters).output().expect("nic starts")
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

/// Runs a trace, `rows` of it or all, on a simulated board.
fn replay(board: SimulatedBoard, trace: &str, rows: Option<usize>) -> (Output, SimulatedBoard) {
    let path = root().join("tests/data/hpcc").join(trace);
    let all = std::fs::read_to_string(path).expect("a trace of the repository");
    let kept = all.lines().take(rows.map_or(usize::MAX, |rows| rows + 1));
    let port = board.path().to_string();
    let number = port.rsplit('/').next().unwrap_or_default();
    let acks = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("board_{number}_{trace}"));
    std::fs::write(&acks, kept.collect::<Vec<_>>().join("\n")).expect("the folder is writable");
    let (over, ends) = channel::<()>();
    std::thread::scope(|scope| {
        let running = scope.spawn(move || board.run(|_| ends.try_recv().is_ok()));
        let output = nic(&acks, &port, &parameters(trace));
        over.send(()).expect("the board runs");
        let board = running.join().expect("the board never panics");
        (output, board.unwrap_or_else(|e| panic!("{e}")))
    })
}

fn board(seed: u64, faults: Faults) -> SimulatedBoard {
    println!("seed {seed}");
    let source = simulated::source().unwrap_or_else(|e| panic!("{e}"));
    SimulatedBoard::new(&source, seed, faults).unwrap_or_else(|e| panic!("{e}"))
}

/// Each trace whole; and so fast: ACKs a second of simulated time.
fn runs_whole(trace: &str, rate_min: f64) {
    let (output, board) = replay(board(1, Faults::default()), trace, None);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("2001 answers equal the golden model's in every bit"), "{text}");
    assert!(text.contains(" 0 restarts"), "{text}");
    let rate = board.line.frames_per_second(1900);
    println!("{trace}: {rate:.0} ACKs a second of simulated time\n{text}");
    assert!(rate >= rate_min, "{rate} ACKs a second");
    assert_eq!(board.led & 0x80, 0, "nothing was refused");
}

#[test]
fn board_runs_the_trace_of_one_hop() {
    runs_whole(A, 8000.0);
}

#[test]
fn board_runs_the_trace_of_five_hops() {
    runs_whole(B, 5000.0);
}

#[test]
fn board_runs_again_what_a_fault_of_the_line_has_hit() {
    // Behind the frames that set the registers and read them back.
    let to_board = Faults { to_board: vec![700], ..Faults::default() };
    let from_board = Faults { from_board: vec![1000], ..Faults::default() };
    for (faults, is_refused) in [(to_board, true), (from_board, false)] {
        let (output, board) = replay(board(2, faults), A, Some(60));
        let text = text(&output);
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.contains("61 answers equal the golden model's in every bit"), "{text}");
        assert!(text.contains(" 1 restarts"), "{text}");
        assert_eq!(board.led & 0x80 != 0, is_refused, "the light of refused frames");
    }
}

#[test]
fn board_on_a_bad_line_is_given_up() {
    let faults = Faults { to_board: (600..4000).step_by(100).collect(), ..Faults::default() };
    let (output, _) = replay(board(3, faults), A, Some(60));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the line breaks too many bytes: the board got a frame with"), "{text}");
}

#[test]
fn board_whose_arithmetic_is_wrong_is_found() {
    let mut source = simulated::source().unwrap_or_else(|e| panic!("{e}"));
    let (right, wrong) = ("assign m_rate_window_bytes = ", "assign m_rate_window_bytes = 32'd1 ^ ");
    assert!(source.text.contains(right), "the Verilog has a window");
    source.text = source.text.replacen(right, wrong, 1);
    let board =
        SimulatedBoard::new(&source, 1, Faults::default()).unwrap_or_else(|e| panic!("{e}"));
    let (output, _) = replay(board, A, Some(20));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("the golden model says"), "{text}");
}

/// The netlist that the bitstream is made of, and its cells as Yosys models them.
fn netlist() -> Source {
    let build = root().join("boards/alchitry-cu/build");
    let ran = Command::new(build).arg("--synth").output().expect("bash runs it");
    assert!(ran.status.success(), "build --synth: {}", text(&ran));
    // Where Yosys looks for its files: ../share/yosys from the folder of its program.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let cells = std::env::split_paths(&path)
        .map(|folder| folder.join("../share/yosys/ice40/cells_sim.v"))
        .find_map(|cells| std::fs::read_to_string(cells).ok())
        .expect("it comes with yosys");
    let netlist = root().join("build/alchitry-cu/netlist.v");
    let netlist = std::fs::read_to_string(netlist).expect("yosys wrote it");
    // In front of the first module stand the macros; the PLL has a model of its own.
    let mut parts = cells.split("\nmodule ");
    let mut source = Source::new(TOP, &netlist);
    source.text += "`define NO_ICE40_DEFAULT_ASSIGNMENTS\n";
    source.text += parts.next().unwrap_or_default();
    for module in parts {
        let name = module.split([' ', '(', '\n']).next().unwrap_or_default();
        let is_used = netlist.contains(&format!("  {name} "));
        if is_used && !name.contains("PLL") {
            let end = module.find("endmodule").expect("a module ends") + "endmodule\n".len();
            source.text += &format!("\nmodule {}", &module[..end]);
        }
    }
    source.text += simulated::PLL;
    source
}

/// Set by `scripts/test --full`: Yosys takes a minute, and the same to simulate.
const FULL: &str = "NIC_BITSTREAM";

#[test]
fn board_after_synthesis_gives_the_same_answers() {
    if std::env::var_os(FULL).is_none() {
        println!("not run: {FULL} isn't set");
        return;
    }
    let board = SimulatedBoard::new(&netlist(), 1, Faults::default());
    let (output, _) = replay(board.unwrap_or_else(|e| panic!("{e}")), B, Some(50));
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("51 answers equal the golden model's in every bit"), "{text}");
}

/// `nic` with somebody else at the port, who answers each byte so.
fn with_stranger(answer: impl Fn(u8) -> Option<Vec<u8>> + Send) -> String {
    let (mut stranger, host_end) = TTYPort::pair().expect("a pseudo-terminal");
    let port = host_end.name().expect("it has a name");
    let (over, ends) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut byte = [0];
            while ends.try_recv().is_err() {
                if stranger.read(&mut byte).is_ok() {
                    answer(byte[0]).map(|bytes| stranger.write_all(&bytes));
                }
            }
        });
        let acks = root().join("tests/data/hpcc").join(A);
        let output = nic(&acks, &port, &parameters(A));
        over.send(()).expect("the stranger waits");
        assert_eq!(output.status.code(), Some(1));
        text(&output)
    })
}

#[test]
fn board_that_is_absent_silent_or_another_is_named() {
    let acks = root().join("tests/data/hpcc").join(A);
    let output = nic(&acks, "/dev/ttyNONE", &parameters(A));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("--port /dev/ttyNONE: cannot open the port"));
    assert!(with_stranger(|_| None).contains("no answer at 3000000 baud"));
    // An echo.
    assert!(with_stranger(|byte| Some(vec![byte])).contains("no answer"));
    // RNIC in the place of RNCC: somebody with another core.
    let other = |byte| match byte {
        0x7e => {
            let frame =
                |number| nic_sim::board::Frame { kind: 0x82, number, payload: b"CINR\0".to_vec() };
            Some((0..=255).flat_map(|number| frame(number).encode()).collect())
        }
        _ => None,
    };
    let said = with_stranger(other);
    assert!(said.contains("another board or bitstream answers: its ID is 0x524e4943"), "{said}");
}

#[test]
fn board_options_that_do_not_fit_are_refused() {
    let acks = root().join("tests/data/hpcc").join(A);
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nic"));
        let output = command.arg("cc-replay").arg(&acks).args(parameters(A)).args(more).output();
        let output = output.expect("nic starts");
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        text(&output)
    };
    assert!(run(&["--engine", "board"]).contains("--port"));
    assert!(run(&["--port", "/dev/null"]).contains("--engine board"));
    let board = ["--engine", "board", "--port", "/dev/null"];
    assert!(run(&[&board[..], &["--preset", "gbe"]].concat()).contains("--preset gbe"));
    assert!(run(&[&board[..], &["--clock-mhz", "100"]].concat()).contains("50 MHz"));
}
