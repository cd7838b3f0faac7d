//! Attribute macros that write what every hardware block repeats.
//!
//! [`macro@block`] makes a struct a hardware block, [`macro@stream`] and [`macro@bundle`] make one
//! declaration of ports serve as source, sink and registers, [`macro@row`] gives the parts of a
//! table's row names.

mod attribute;
mod block;
mod bundle;
mod kernel;
mod row;

use proc_macro::TokenStream;
use syn::{parse_macro_input, ItemImpl, ItemStruct};

/// A hardware block: adds the ports `clock` and `reset`, writes the constructor.
///
/// | option | meaning |
/// |---|---|
/// | `no_reset` | no port `reset`: nothing in it is reset |
/// | `comb` | no port `clock`, no port `reset`: outputs follow inputs within the cycle |
/// | `mealy` | clocked, but outputs may follow inputs within the cycle |
/// | `new(a: A, ..)` | a constructor with arguments instead of `Default` |
/// | `check(condition, ..)` | what the constructor asserts of the sizes |
///
/// | on a field | meaning |
/// |---|---|
/// | `#[reset(value)]` | what a [`Reg`] holds after a reset, 0 otherwise |
/// | `#[value(value)]` | value of a `Constant` |
/// | `#[init(expression)]` | the field's constructor, `Default::default()` otherwise |
/// | `#[flat]` | a bundle whose members' ports do without its name |
#[proc_macro_attribute]
pub fn block(options: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as block::Options);
    let item = parse_macro_input!(item as ItemStruct);
    block::expand(&options, item).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Ports that go together, without a handshake. `#[back]` marks those that go against the others,
/// `#[nested]` a bundle within the bundle, `#[flat]` one whose members' ports do without its name.
#[proc_macro_attribute]
pub fn bundle(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemStruct);
    bundle::expand(item, false).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// A bundle with `valid` in front, and `ready` that goes against it.
#[proc_macro_attribute]
pub fn stream(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemStruct);
    bundle::expand(item, true).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// The kernel of a block in parts: `update` names each by `self.part();`, and its statements stand
/// there, below its doc comment. `#[kernel(more)]`: the macro `more!` has further parts, which
/// several blocks share; it is given `[impl<..> Block<..>] { parts }`.
#[proc_macro_attribute]
pub fn kernel(more: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as ItemImpl);
    if !more.is_empty() {
        let more = parse_macro_input!(more as syn::Path);
        return kernel::handed(&more, &item).into();
    }
    kernel::expand(item).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// A row of a table: fields of which kernels read `self.row.val().psn` and which they assign with
/// `self.row.next.psn = ..`. Fields follow each other from bit 0, unless `#[at(bit)]` says where
/// one stands; `#[row(bits)]` says how wide the row is if no field reaches its end.
#[proc_macro_attribute]
pub fn row(bits: TokenStream, item: TokenStream) -> TokenStream {
    let bits = if bits.is_empty() { None } else { Some(parse_macro_input!(bits as syn::Expr)) };
    let item = parse_macro_input!(item as ItemStruct);
    row::expand(bits, item).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// `nic_spec::rows!(nic_block::staged)`: the row that software stages, with the fields of all
/// tables.
#[proc_macro]
pub fn staged(list: TokenStream) -> TokenStream {
    let list = parse_macro_input!(list as row::Staged);
    list.expand().unwrap_or_else(|e| e.to_compile_error()).into()
}
