//! The examples for Linux UIO, on files in the place of devices: in Rust and in C they do the same.

#[allow(dead_code)]
#[path = "../examples/uio.rs"]
mod uio;

use nic_spec::regs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ADDRESS: u64 = 0x3f00_0000;

/// Registers that read as a NIC with one completion, and memory, as files.
struct Device {
    registers: PathBuf,
    memory: PathBuf,
}

impl Device {
    fn new(name: &str, id: u32, status: u32) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let mut space = vec![0_u8; 1 << 16];
        let mut set = |offset: u16, value: u32| {
            space[offset.into()..][..4].copy_from_slice(&value.to_le_bytes());
        };
        set(regs::ID, id);
        set(regs::VERSION, regs::VERSION_VALUE);
        set(regs::SIZES, 6 << 4 | 6 << 8 | 3 << 12);
        set(regs::CQ_COUNT, 1);
        set(regs::CQ_ENTRY + 8, 4096);
        set(regs::CQ_ENTRY + 12, status);
        let device = Self {
            registers: folder.join(format!("{name}.registers")),
            memory: folder.join(format!("{name}.memory")),
        };
        std::fs::write(&device.registers, space).expect("the folder is writable");
        std::fs::write(&device.memory, [0; 4096]).expect("the folder is writable");
        device
    }

    fn paths(&self) -> [&str; 2] {
        [&self.registers, &self.memory].map(|path| path.to_str().expect("a plain path"))
    }

    /// What was left in registers and memory.
    fn left(&self) -> [Vec<u8>; 2] {
        [&self.registers, &self.memory].map(|path| std::fs::read(path).expect("it is there"))
    }

    fn in_rust(&self) -> Result<String, String> {
        let [registers, memory] = self.paths();
        uio::run(registers, memory, ADDRESS).map_err(|e| e.to_string())
    }

    fn in_c(&self, program: &Path) -> Result<String, String> {
        let ran = Command::new(program).args(self.paths()).arg(format!("{ADDRESS:x}")).output();
        let ran = ran.expect("the program was compiled");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match ran.status.success() {
            true => Ok(text(&ran.stdout)),
            false => Err(text(&ran.stderr)),
        }
    }
}

/// The program in C, in a file of the test's own.
fn compiled(name: &str) -> PathBuf {
    let fw = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"];
    let mut command = Command::new("cc");
    command.args(strict).arg(&fw).arg("-o").arg(&program).arg(fw.join("examples/uio.c"));
    assert!(command.status().expect("there is a C compiler").success(), "{command:?}");
    program
}

#[test]
fn uio_examples_do_the_same() {
    let program = compiled("uio_same");
    let (rust, c) = (Device::new("rust", regs::ID_VALUE, 0), Device::new("c", regs::ID_VALUE, 0));
    assert_eq!(rust.in_rust(), Ok("4096 bytes written".into()));
    assert_eq!(c.in_c(&program), Ok("found 64 queue pairs\n4096 bytes written\n".into()));
    assert!(rust.left() == c.left(), "Rust and C leave the same");
    let [registers, memory] = rust.left();
    assert_eq!(memory[4092..], 1023_u32.to_le_bytes());
    let word = |offset: u16| &registers[offset.into()..][..4];
    assert_eq!(word(regs::CQ_POP), [1, 0, 0, 0]);
    assert_eq!(word(regs::ROW_COMMIT), [0, 0, 2, 0], "work request of queue pair 0x100 mod 64");
    assert_eq!(word(regs::ROW_DATA + 8), (ADDRESS as u32).to_le_bytes());
}

#[test]
fn uio_examples_say_what_is_wrong() {
    let program = compiled("uio_wrong");
    let absent = Device::new("absent", 0xffff_ffff, 0);
    let error = absent.in_rust().expect_err("there is no NIC");
    assert!(error.starts_with("no NIC here: the id register reads 0xffffffff"), "{error}");
    assert!(absent.in_c(&program).expect_err("there is no NIC").contains("no NIC here"));
    let failing = Device::new("failing", regs::ID_VALUE, 2);
    let error = failing.in_rust().expect_err("the WRITE fails");
    assert!(error.starts_with("the WRITE failed: the peer refused the access"), "{error}");
    assert!(failing.in_c(&program).expect_err("the WRITE fails").contains("status 2"));
    let [_, memory] = failing.paths();
    let error = uio::run("/dev/uioNONE", memory, ADDRESS).expect_err("no such device");
    assert!(error.to_string().starts_with("/dev/uioNONE: cannot open"), "{error}");
}
