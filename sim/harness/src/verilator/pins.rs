//! An instance whose ports are bound to the words of two port bundles.

use super::error::Error;
use super::model::{Direction, Instance, Model, Port, Register};
use nic_models::ports::PortDef;
use nic_models::starts::Place;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A port's storage in the model, and its words in the bundle.
#[derive(Clone, Copy, Debug)]
struct Pin {
    address: *mut u8,
    bits: usize,
    word_index: usize,
    word_count: usize,
}

impl Pin {
    /// Verilator keeps up to 8, 16, 32, 64 bits in one integer, more in 32-bit words.
    ///
    /// # Safety
    /// `address` must point to the live storage of a port of `bits` bits.
    #[inline]
    unsafe fn write(&self, words: &[u64]) {
        let word = words[self.word_index];
        match self.bits {
            0..=8 => self.address.write(word as u8),
            9..=16 => self.address.cast::<u16>().write(word as u16),
            17..=32 => self.address.cast::<u32>().write(word as u32),
            33..=64 => self.address.cast::<u64>().write(word),
            _ => {
                for half in 0..self.bits.div_ceil(32) {
                    let word = words[self.word_index + half / 2];
                    let value = (word >> (32 * (half % 2))) as u32;
                    self.address.cast::<u32>().add(half).write(value);
                }
            }
        }
    }

    /// # Safety
    /// As for `write`.
    #[inline]
    unsafe fn read(&self, words: &mut [u64]) {
        let word = match self.bits {
            0..=8 => u64::from(self.address.read()),
            9..=16 => u64::from(self.address.cast::<u16>().read()),
            17..=32 => u64::from(self.address.cast::<u32>().read()),
            33..=64 => self.address.cast::<u64>().read(),
            _ => {
                let halves = self.bits.div_ceil(32);
                let half = |i: usize| u64::from(self.address.cast::<u32>().add(i).read());
                for i in 0..halves.div_ceil(2) {
                    let high = if 2 * i + 1 < halves { half(2 * i + 1) } else { 0 };
                    words[self.word_index + i] = half(2 * i) | high << 32;
                }
                return;
            }
        };
        words[self.word_index] = word;
    }
}

/// An instance with a clock, driven and read as two slices of words.
#[derive(Debug)]
pub struct PinnedInstance {
    inputs: Vec<Pin>,
    outputs: Vec<Pin>,
    /// One mask per input word: bits that exist in the Verilog.
    input_masks: Vec<u64>,
    clock: *mut u8,
    /// Inputs of the Verilog that only tools drive, not the model (a mutant's number).
    extra: Vec<(String, Pin)>,
    /// As [`Self::list_registers`] has listed them.
    registers: Vec<Register>,
    instance: Instance,
}

// SAFETY: the pointers lead into the instance that is owned beside them.
unsafe impl Send for PinnedInstance {}

impl PinnedInstance {
    /// Binds an instance of `model`: its inputs must be `clock`, `extra` (one word each) and
    /// `inputs`, its outputs `outputs`.
    pub fn new(
        model: &Arc<Model>,
        seed: u64,
        inputs: &[PortDef],
        outputs: &[PortDef],
        extra: &[&str],
    ) -> Result<Self, Error> {
        let known = |name: &str| {
            let same = |d: &&PortDef| d.name == name;
            name == "clock"
                || extra.contains(&name)
                || inputs.iter().chain(outputs).any(|d| same(&d))
        };
        if let Some(port) = model.ports().iter().find(|p| !known(&p.name)) {
            let (top, name) = (model.top().into(), port.name.clone());
            return Err(Error::PortUnknown { top, port: name, bits: port.bits });
        }
        let instance = Instance::new(model, seed)?;
        let one_word =
            |name: &str| PortDef { name: name.into(), word_index: 0, word_count: 1, bits_max: 64 };
        let clock = bind(&instance, &PortDef { bits_max: 1, ..one_word("clock") }, Direction::In)?;
        let pins = |defs: &[PortDef], direction| -> Result<Vec<Pin>, Error> {
            defs.iter().map(|def| bind(&instance, def, direction)).collect()
        };
        let extra = extra
            .iter()
            .map(|&name| Ok((name.to_string(), bind(&instance, &one_word(name), Direction::In)?)));
        let extra = extra.collect::<Result<Vec<_>, Error>>()?;
        let (inputs, outputs) = (pins(inputs, Direction::In)?, pins(outputs, Direction::Out)?);
        let input_masks = masks(&inputs);
        let clock = clock.address;
        let registers = Vec::new();
        Ok(Self { inputs, outputs, input_masks, clock, extra, registers, instance })
    }

    /// Bits of each input word that exist in the Verilog.
    pub fn input_masks(&self) -> &[u64] {
        &self.input_masks
    }

    /// Width of the port whose storage starts at word `word_index` of the outputs.
    pub fn output_bits(&self, word_index: usize) -> usize {
        self.outputs.iter().find(|p| p.word_index == word_index).map_or(0, |p| p.bits)
    }

    /// Drives an extra input.
    pub fn set_extra(&mut self, name: &str, value: u64) {
        for (_, pin) in self.extra.iter().filter(|(n, _)| n == name) {
            // SAFETY: `bind` took the address from the live instance.
            unsafe { pin.write(&[value]) }
        }
    }

    /// Drives all inputs. The words must have no bit outside [`Self::input_masks`].
    #[inline]
    pub fn set_inputs(&mut self, words: &[u64]) {
        for pin in &self.inputs {
            // SAFETY: as above.
            unsafe { pin.write(words) }
        }
    }

    /// Reads all outputs.
    #[inline]
    pub fn outputs(&self, words: &mut [u64]) {
        for pin in &self.outputs {
            // SAFETY: as above.
            unsafe { pin.read(words) }
        }
    }

    /// Whether the model shows the register at `path`.
    pub fn has_register(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    /// Puts `value` into the register at `path`, which the model shows; the logic is to be settled
    /// then.
    pub fn put_register(&mut self, path: &str, value: u64) {
        let (pin, bits) = self.place(path).unwrap_or_else(|| panic!("no register {path}"));
        let mut words = vec![0; pin.word_count];
        // SAFETY: `place` took the address from the live instance.
        unsafe { pin.read(&mut words) }
        for (n, bit) in bits.enumerate() {
            let (word, mask) = (bit as usize / 64, 1 << (bit % 64));
            let is_set = n < 64 && value >> n & 1 != 0;
            words[word] = if is_set { words[word] | mask } else { words[word] & !mask };
        }
        // SAFETY: as above.
        unsafe { pin.write(&words) }
    }

    /// Storage of the register, or of a memory's word, and the bits of it that are meant.
    fn place(&self, path: &str) -> Option<(Pin, RangeInclusive<u32>)> {
        let place = Place::parse(path)?;
        let register = self.instance.register(place.register)?;
        let (bits, word) = (register.bits, place.word.unwrap_or(0));
        let all = 0..=bits as u32 - 1;
        let wanted = place.bits.unwrap_or(all.clone());
        if word >= register.word_count || !all.contains(wanted.end()) {
            return None;
        }
        // SAFETY: the word is one of the memory's.
        let address = unsafe { register.address.add(word * register.word_bytes()) };
        Some((Pin { address, bits, word_index: 0, word_count: bits.div_ceil(64) }, wanted))
    }

    /// Lists the registers that the model shows and `is_wanted` names, by path: [`Self::register`]
    /// takes their places in the list.
    pub fn list_registers(&mut self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut registers = self.instance.registers();
        registers.retain(|(path, _)| is_wanted(path));
        registers.sort_by(|(a, _), (b, _)| a.cmp(b));
        let (paths, registers) = registers.into_iter().unzip();
        self.registers = registers;
        paths
    }

    /// The listed register: its storage, and the bytes of a word of it.
    pub fn register(&self, place: usize) -> (&[u8], usize) {
        let register = &self.registers[place];
        let word_bytes = register.word_bytes();
        // SAFETY: the instance has told of this storage, and is borrowed.
        let bytes = unsafe {
            std::slice::from_raw_parts(register.address, word_bytes * register.word_count)
        };
        (bytes, word_bytes)
    }

    /// Settles the logic without an edge.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.instance.eval()
    }

    /// Sets the clock and settles the logic.
    #[inline]
    pub fn clock(&mut self, level: bool) -> Result<(), Error> {
        // SAFETY: as above; a clock has one bit, which Verilator keeps in a byte.
        unsafe { self.clock.write(u8::from(level)) }
        self.instance.eval()
    }

    /// The instance itself, for traces and status.
    pub fn instance(&mut self) -> &mut Instance {
        &mut self.instance
    }
}

fn bind(instance: &Instance, def: &PortDef, direction: Direction) -> Result<Pin, Error> {
    let model = instance.model();
    let (top, port) = (|| model.top().to_string(), || def.name.clone());
    let index = model.ports().iter().position(|p| p.name == def.name);
    let index = index.ok_or_else(|| Error::PortMissing { top: top(), port: port() })?;
    let Port { bits, direction: actual, .. } = model.ports()[index];
    if actual != direction {
        return Err(Error::PortDirection { top: top(), port: port() });
    }
    if bits > def.bits_max {
        let (verilog_bits, model_bits) = (bits, def.bits_max);
        return Err(Error::PortWidth { top: top(), port: port(), verilog_bits, model_bits });
    }
    let (word_index, word_count) = (def.word_index, def.word_count);
    Ok(Pin { address: instance.port_address(index), bits, word_index, word_count })
}

fn masks(pins: &[Pin]) -> Vec<u64> {
    let mask = |bits: usize| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let pin_masks = |p: &Pin| {
        let bits = p.bits;
        (0..p.word_count).map(move |i| mask(bits.saturating_sub(64 * i)))
    };
    pins.iter().flat_map(pin_masks).collect()
}
