//! Twin of `hdl/src/util/ram.rs`. Blocks model their tables as plain arrays; this one exists for
//! the check of the primitive itself.

use crate::ports;
use crate::ports::Golden;

ports! {
    /// Inputs of [`Ram`].
    pub struct RamIn {
        /// Store `write_data`.
        pub write_enable: bool,
        /// Word index.
        pub write_address: u16,
        /// Word to store.
        pub write_data: u64,
        /// Load `read_data`.
        pub read_enable: bool,
        /// Word index.
        pub read_address: u16,
    }
}
ports! {
    /// Output of [`Ram`].
    pub struct RamOut {
        /// The word read.
        pub read_data: u64,
    }
}
/// Block RAM with registered output.
pub struct Ram {
    words: Vec<u64>,
    mask: u64,
    read_data: u64,
}

impl Ram {
    /// `word_count` words of `bits` bits.
    pub fn new(word_count: usize, bits: u32) -> Self {
        Self { words: vec![0; word_count], mask: u64::MAX >> (64 - bits), read_data: 0 }
    }
}

impl Golden for Ram {
    type In = RamIn;
    type Out = RamOut;
    fn step(&mut self, i: &RamIn) -> RamOut {
        if i.read_enable {
            // The collision is undefined in hardware; simulation shows the inverse.
            let collides = i.write_enable && i.write_address == i.read_address;
            let word = self.words[usize::from(i.read_address)];
            self.read_data = if collides { !i.write_data & self.mask } else { word };
        }
        if i.write_enable {
            self.words[usize::from(i.write_address)] = i.write_data & self.mask;
        }
        RamOut { read_data: self.read_data }
    }
}
