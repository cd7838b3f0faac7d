//! Port bundles: one Rust struct is the pins of one block, on the golden side and the DUT side.
//!
//! A field is a port, its name is the Verilog name; a nested bundle or an array prefixes the
//! names of its members with `<field>_`. Values travel as little-endian 64-bit words, so that the
//! lock-step compare is a compare of two word slices.

use crate::starts::Starts;

/// One port as the model knows it; the Verilated module knows its exact width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortDef {
    /// Verilog name.
    pub name: String,
    /// First word of the value in the bundle's storage.
    pub word_index: usize,
    /// Words the model keeps for it.
    pub word_count: usize,
    /// Bits that the model's type can hold: the real width is at most this.
    pub bits_max: usize,
}

/// A value that is one port or a bundle of ports.
pub trait PortField: Clone + Default + PartialEq + core::fmt::Debug {
    /// Words of storage.
    const WORDS: usize;
    /// Appends the ports of this field, called `name`, to `defs`.
    fn define(name: &str, defs: &mut Vec<PortDef>);
    /// Writes the value to `words[..WORDS]`.
    fn store(&self, words: &mut [u64]);
    /// Reads the value from `words[..WORDS]`.
    fn load(words: &[u64]) -> Self;
}

/// A whole block's inputs or outputs.
pub trait Ports: PortField {
    /// All ports, in storage order.
    fn port_defs() -> Vec<PortDef> {
        let mut defs = Vec::new();
        Self::define("", &mut defs);
        defs
    }
}

/// Appends the definition of a single port whose type holds `bits_max` bits.
pub fn define_port(name: &str, bits_max: usize, defs: &mut Vec<PortDef>) {
    let word_index = defs.last().map_or(0, |d| d.word_index + d.word_count);
    let word_count = bits_max.div_ceil(64);
    defs.push(PortDef { name: name.into(), word_index, word_count, bits_max });
}

/// Ports of one word each, by name and bits, in this order.
pub fn port_list(ports: &[(&str, usize)]) -> Vec<PortDef> {
    let mut defs = Vec::new();
    ports.iter().for_each(|(name, bits)| define_port(name, *bits, &mut defs));
    defs
}

/// Name of member `field` of the bundle called `name`.
pub fn join_name(name: &str, field: &str) -> String {
    if name.is_empty() {
        field.into()
    } else {
        format!("{name}_{field}")
    }
}

macro_rules! scalar_port {
    ($($t:ty),*) => {$(
        impl PortField for $t {
            const WORDS: usize = 1;
            fn define(name: &str, defs: &mut Vec<PortDef>) {
                define_port(name, <$t>::BITS as usize, defs);
            }
            fn store(&self, words: &mut [u64]) {
                words[0] = *self as u64;
            }
            fn load(words: &[u64]) -> Self {
                words[0] as $t
            }
        }
    )*};
}
scalar_port!(u8, u16, u32, u64);

impl PortField for bool {
    const WORDS: usize = 1;
    fn define(name: &str, defs: &mut Vec<PortDef>) {
        define_port(name, 1, defs);
    }
    fn store(&self, words: &mut [u64]) {
        words[0] = u64::from(*self);
    }
    fn load(words: &[u64]) -> Self {
        words[0] & 1 != 0
    }
}

impl PortField for u128 {
    const WORDS: usize = 2;
    fn define(name: &str, defs: &mut Vec<PortDef>) {
        define_port(name, 128, defs);
    }
    fn store(&self, words: &mut [u64]) {
        words[0] = *self as u64;
        words[1] = (*self >> 64) as u64;
    }
    fn load(words: &[u64]) -> Self {
        u128::from(words[0]) | u128::from(words[1]) << 64
    }
}

/// One port of up to `64 * N` bits, least significant word first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide<const N: usize>(pub [u64; N]);

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> PortField for Wide<N> {
    const WORDS: usize = N;
    fn define(name: &str, defs: &mut Vec<PortDef>) {
        define_port(name, 64 * N, defs);
    }
    fn store(&self, words: &mut [u64]) {
        words[..N].copy_from_slice(&self.0);
    }
    fn load(words: &[u64]) -> Self {
        Self(words[..N].try_into().expect("N words"))
    }
}

/// What one beat of a datapath carries, byte 0 in bits 7:0 of word 0; a datapath below 512 bits
/// uses the low ones.
pub type Data = Wide<8>;

impl Data {
    /// A beat of these bytes, at most 64; those behind them are 0.
    pub fn of(bytes: &[u8]) -> Self {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut part = [0; 8];
            part[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(part);
        }
        assert!(bytes.len() <= 64, "a beat has at most 64 bytes");
        Self(words)
    }

    /// Its bytes.
    pub fn bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (part, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            part.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

impl From<u64> for Data {
    fn from(low: u64) -> Self {
        Self([low, 0, 0, 0, 0, 0, 0, 0])
    }
}

/// The `tkeep` of a beat with so many bytes, at most 64.
pub fn keep(byte_count: usize) -> u64 {
    assert!(byte_count <= 64, "a beat has at most 64 bytes");
    ((1_u128 << byte_count) - 1) as u64
}

impl<T: PortField + Copy, const N: usize> PortField for [T; N]
where
    [T; N]: Default,
{
    const WORDS: usize = N * T::WORDS;
    fn define(name: &str, defs: &mut Vec<PortDef>) {
        (0..N).for_each(|i| T::define(&join_name(name, &i.to_string()), defs));
    }
    fn store(&self, words: &mut [u64]) {
        self.iter().enumerate().for_each(|(i, v)| v.store(&mut words[i * T::WORDS..]));
    }
    fn load(words: &[u64]) -> Self {
        core::array::from_fn(|i| T::load(&words[i * T::WORDS..]))
    }
}

/// Two bundles under one name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Both<A, B>(
    /// First half.
    pub A,
    /// Second half.
    pub B,
);

impl<A: PortField, B: PortField> PortField for Both<A, B> {
    const WORDS: usize = A::WORDS + B::WORDS;
    fn define(name: &str, defs: &mut Vec<PortDef>) {
        A::define(name, defs);
        B::define(name, defs);
    }
    fn store(&self, words: &mut [u64]) {
        self.0.store(words);
        self.1.store(&mut words[A::WORDS..]);
    }
    fn load(words: &[u64]) -> Self {
        Self(A::load(words), B::load(&words[A::WORDS..]))
    }
}

/// Declares a port bundle. A type parameter is the type of a member whose width varies; it has a
/// usual one.
///
/// ```
/// use nic_models::ports::{Ports, Wide};
/// nic_models::ports! {
///     /// One beat of a stream.
///     pub struct Beat<W = u64> {
///         /// Payload, byte 0 in bits 7:0.
///         pub tdata: W,
///         /// Last beat of the frame.
///         pub tlast: bool,
///     }
/// }
/// nic_models::ports! {
///     /// Inputs.
///     pub struct In { pub reset: bool, pub s_axis: Beat, pub s_wide: Beat<Wide<8>> }
/// }
/// assert_eq!(In::port_defs()[1].name, "s_axis_tdata");
/// assert_eq!(In::port_defs()[3].bits_max, 512);
/// ```
#[macro_export]
macro_rules! ports {
    ($(#[$meta:meta])* $vis:vis struct $name:ident $(<$($size:ident = $usual:ty),*>)? {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident : $ty:ty),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        $vis struct $name $(<$($size = $usual),*>)? {
            $($(#[$field_meta])* $field_vis $field: $ty),*
        }

        impl $(<$($size: $crate::ports::PortField),*>)? $crate::ports::PortField
            for $name $(<$($size),*>)?
        {
            const WORDS: usize = 0 $(+ <$ty as $crate::ports::PortField>::WORDS)*;
            fn define(name: &str, defs: &mut Vec<$crate::ports::PortDef>) {
                $(<$ty as $crate::ports::PortField>::define(
                    &$crate::ports::join_name(name, stringify!($field)), defs);)*
                let _ = (name, defs);
            }
            #[allow(unused_assignments)]
            fn store(&self, words: &mut [u64]) {
                let mut at = 0;
                $($crate::ports::PortField::store(&self.$field, &mut words[at..]);
                at += <$ty as $crate::ports::PortField>::WORDS;)*
                let _ = (at, words);
            }
            #[allow(unused_assignments)]
            fn load(words: &[u64]) -> Self {
                let mut at = 0;
                $(let $field = <$ty as $crate::ports::PortField>::load(&words[at..]);
                at += <$ty as $crate::ports::PortField>::WORDS;)*
                let _ = (at, words);
                Self { $($field),* }
            }
        }
        impl $(<$($size: $crate::ports::PortField),*>)? $crate::ports::Ports
            for $name $(<$($size),*>)?
        {
        }
    };
}

/// A cycle-accurate model of one block. Every output is a register: `step` takes the inputs that
/// are stable before a rising clock edge and returns the outputs after it.
pub trait Golden {
    /// Input pins, the clock excepted.
    type In: Ports;
    /// Output pins.
    type Out: Ports;
    /// One rising clock edge.
    fn step(&mut self, inputs: &Self::In) -> Self::Out;
    /// Offers the counters that the last step has cleared; the outputs if one starts elsewhere.
    fn starts(&mut self, _starts: &mut Starts<'_>) -> Option<Self::Out> {
        None
    }
}
