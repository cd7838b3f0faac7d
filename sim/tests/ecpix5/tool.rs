//! `nic board` and the simulated board at a pseudo-terminal.

use super::bench::source;
use board_common::simulated::{Faults, Simulated, Terminal};
use ecpix5::simulated::{turn_back, Peer, SimulatedBoard};
use nic_spec::regs;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{channel, Sender};

/// Exit code and output of `nic board`.
fn nic(port: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nic"));
    let output = command.args(["board", "--port", port]).args(arguments).output();
    let output = output.expect("nic starts");
    let text = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
    println!("{arguments:?}: {text}");
    (output.status.code(), text)
}

/// Runs `use_port` while a board is at the port that it is given.
fn at_terminal<B: Simulated + Send>(board: &mut B, use_port: impl FnOnce(&str)) {
    let terminal = Terminal::open().unwrap_or_else(|e| panic!("{e}"));
    let port = terminal.path().to_string();
    let (over, ends) = channel::<()>();
    std::thread::scope(|scope| {
        let running = scope.spawn(move || terminal.run(board, |_| ends.try_recv().is_ok()));
        // The board ends also if an assertion fails.
        let ends = Ends(over);
        use_port(&port);
        drop(ends);
        running.join().expect("the board never panics").unwrap_or_else(|e| panic!("{e}"));
    });
}

/// Ends the board when it goes.
struct Ends(Sender<()>);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

fn board(seed: u64, faults: Faults, peer: Option<Peer>) -> SimulatedBoard {
    println!("seed {seed}");
    SimulatedBoard::new(&source(), seed, faults, peer).unwrap_or_else(|e| panic!("{e}"))
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn ecpix5_tool_reaches_registers_and_memory() {
    let (sent, back) = (file("board_load.bin"), file("board_dump.bin"));
    let content: Vec<u8> = (0..98).map(|n: u8| n.wrapping_mul(37)).collect();
    std::fs::write(&sent, &content).expect("the folder is writable");
    at_terminal(&mut board(6, Faults::default(), None), |port| {
        let run = |arguments: &[&str]| {
            let (code, text) = nic(port, arguments);
            assert_eq!(code, Some(0), "{text}");
            text
        };
        let probe = run(&["probe"]);
        let sizes = "64 queue pairs, 64 memory regions, 8 work requests a queue pair; core at \
                     62.5 MHz; 16384 bytes of host memory";
        assert!(probe.contains(sizes), "{probe}");
        run(&["write", "local_ip", "0x0a000001"]);
        run(&["write", "row_data[3]", "77"]);
        let read = run(&["read", "local_ip", "row_data[3]", "telemetry"]);
        let lines: Vec<&str> = read.lines().collect();
        assert_eq!(lines[0], "0x028 local_ip           0x0a000001");
        assert_eq!(lines[1], "0x10c row_data           0x0000004d");
        assert!(lines[2].contains(" format=0 "), "{read}");
        let all = regs::registers().filter(|r| r.access != regs::Access::Wo && r.count == 1);
        assert_eq!(run(&["read"]).lines().count(), all.count());
        assert_eq!(run(&["counters"]), "");
        assert_eq!(run(&["counters", "--all"]).lines().count(), regs::EVENTS.len());
        run(&["load", "0x3f9c", &sent.to_string_lossy()]);
        run(&["dump", "0x3f9c", "100", "--out", &back.to_string_lossy()]);
        let found = std::fs::read(&back).expect("it is written");
        assert_eq!(found, [&content[..], &[0, 0]].concat());
        let dump = run(&["dump", "0x3f9c", "20"]);
        assert!(dump.starts_with("3f9c  00 25 4a 6f 94 b9 de"), "{dump}");
        assert_eq!(dump.lines().count(), 2);
    });
}

#[test]
fn ecpix5_tool_writes_to_a_peer_and_reads_back() {
    let mut board = board(7, Faults::default(), Some(turn_back));
    at_terminal(&mut board, |port| {
        let (code, text) = nic(port, &["example", "--bytes", "2500"]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("WRITE: complete, 2500 bytes"), "{text}");
        assert!(text.contains("2500 bytes written to the peer and read back, all equal"), "{text}");
        let (_, counters) = nic(port, &["counters"]);
        assert!(counters.contains(" tx_data "), "{counters}");
        assert!(counters.contains(" rx_response "), "{counters}");
        assert!(!counters.contains("drop"), "{counters}");
    });
}

/// A peer with one wrong bit in what is READ.
fn lies(frame: &[u8]) -> Option<Vec<u8>> {
    let back = turn_back(frame)?;
    let mut repr = FrameRepr::parse(&back, None).ok()?;
    let mut payload = repr.payload.to_vec();
    if opcode::is_read_response(repr.bth.opcode) {
        payload[0] ^= 0x10;
    }
    repr.payload = &payload;
    let mut bytes = vec![0; repr.buffer_len()];
    repr.emit(&mut bytes);
    Some(bytes)
}

#[test]
fn ecpix5_tool_says_when_the_example_fails() {
    at_terminal(&mut board(8, Faults::default(), Some(lies)), |port| {
        let (code, text) = nic(port, &["example", "--bytes", "100"]);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("the bytes that were read back differ"), "{text}");
    });
}

/// A busy machine may let the host call a simulated board twice; then the broken byte is one of a
/// call, which the host repeats and says nothing of.
const TRIES: usize = 4;

#[test]
fn ecpix5_tool_names_broken_bytes_and_other_boards() {
    // In the second frame each way: the first ones are repeated until the board answers.
    let to_board = Faults { to_board: vec![11], ..Faults::default() };
    let from_board = Faults { from_board: vec![14], ..Faults::default() };
    let said = [
        (to_board, "the board got a frame with a wrong check sequence"),
        (from_board, "a byte from the board was broken or lost"),
    ];
    for (faults, said) in said {
        let broken = (0..TRIES).any(|_| {
            let mut is_said = false;
            at_terminal(&mut board(9, faults.clone(), None), |port| {
                let (code, text) = nic(port, &["probe"]);
                assert_eq!(text.lines().count(), 1, "{text}");
                is_said = code == Some(1) && text.contains(said);
                assert_eq!(nic(port, &["probe"]).0, Some(0), "the line is in step again");
            });
            is_said
        });
        assert!(broken, "not said: {said}");
    }
    let source = alchitry_cu::simulated::source().unwrap_or_else(|e| panic!("{e}"));
    let other = alchitry_cu::simulated::SimulatedBoard::new(&source, 1, Faults::default());
    at_terminal(&mut other.unwrap_or_else(|e| panic!("{e}")), |port| {
        let (code, text) = nic(port, &["probe"]);
        assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
        let said = "another board or bitstream answers: its ID is 0x524e4343, not 0x524e4943";
        assert!(text.contains(said), "{text}");
    });
}

#[test]
fn ecpix5_tool_refuses_what_makes_no_sense() {
    let absent = "/dev/ttyNONE";
    let refused = |arguments: &[&str], said: &str| {
        let (code, text) = nic(absent, arguments);
        assert_eq!((code, text.lines().count()), (Some(2), 1), "{text}");
        assert!(text.contains(said), "{text}");
    };
    refused(&["probe"], "--port /dev/ttyNONE: cannot open the port");
    refused(&["read", "lokal_ip"], "lokal_ip: no such register; fw/registers.md has them");
    refused(&["read", "row_data[16]"], "no such register");
    refused(&["read", "cq_pop"], "cq_pop: can only be written");
    refused(&["write", "id", "1"], "id: can only be read");
    refused(&["write", "local_ip", "10.0.0.1"], "must be a number, decimal or with 0x");
    refused(&["load", "0", "no_such_file"], "no_such_file: there is no such file");
    refused(&["dump", "0", "4", "--out", "/no/folder/x"], "there is no folder /no/folder");
    refused(&["example", "--peer-mac", "02:00"], "must be six bytes in hex");
    refused(&["example", "--bytes", "5000"], "4096");
    refused(&["dump", "0x3ffe", "4"], "no whole words of host memory");
    refused(&["dump", "0x3ff0", "20"], "no whole words of host memory");
    let large = env!("CARGO_BIN_EXE_nic");
    refused(&["load", "0", large], "no whole words of host memory");
    let silent = Terminal::open().unwrap_or_else(|e| panic!("{e}"));
    let (code, text) = nic(silent.path(), &["probe"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("no answer at 3000000 baud: is the board's bitstream loaded?"), "{text}");
}
