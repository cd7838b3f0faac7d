//! `Wire::join`: the members of two bundles, each wired in its direction.

use crate::symbols::{Class, Symbols};
use std::collections::BTreeSet;

/// Who drives whom.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// It has its value: an input, a register, an output of a sub-block.
    Source,
    /// It needs one: an output, an input of a sub-block.
    Sink,
    /// A register or a local signal: whatever the other one is not.
    Either,
}

fn side(symbols: &Symbols, path: &str) -> Option<Side> {
    if symbols.absent.contains(path) {
        return None;
    }
    symbols.by_path.get(path).map(|symbol| match symbol.class {
        Class::Input | Class::InstanceOutput | Class::Constant(_) => Side::Source,
        Class::Output | Class::InstanceInput | Class::RegisterNext => Side::Sink,
        Class::Local | Class::RegisterQ => Side::Either,
    })
}

/// Names of a bundle's members, in the order of its declaration.
fn members(symbols: &Symbols, bundle: &str) -> Vec<String> {
    let start = format!("{bundle}$");
    let of = |path: &String| path.strip_prefix(&start).map(str::to_string);
    let present = symbols.by_path.iter().map(|(path, symbol)| (symbol.order, path));
    let absent = symbols.absent.iter().map(|path| (usize::MAX, path));
    let both = present.chain(absent).filter_map(|(order, path)| Some((order, of(path)?)));
    let sorted: BTreeSet<(usize, String)> = both.collect();
    sorted.into_iter().map(|(_, member)| member).collect()
}

/// (target, source) of each member of `from` and `to`; or what is wrong.
pub fn join(symbols: &Symbols, from: &str, to: &str) -> Result<Vec<(String, String)>, String> {
    let shown = |path: &str| path.replace('$', ".");
    let (of_from, of_to) = (members(symbols, from), members(symbols, to));
    for (bundle, own, other) in [(from, &of_from, &of_to), (to, &of_to, &of_from)] {
        if own.is_empty() {
            return Err(format!("`{}` has no members", shown(bundle)));
        }
        if let Some(alone) = own.iter().find(|m| !other.contains(m)) {
            let missing = if bundle == from { to } else { from };
            let (has, not) = (shown(&format!("{bundle}${alone}")), shown(missing));
            return Err(format!("`{has}` has no partner in `{not}`"));
        }
    }
    let mut wires = vec![];
    for member in of_to {
        let (a, b) = (format!("{from}${member}"), format!("{to}${member}"));
        let (Some(from), Some(to)) = (side(symbols, &a), side(symbols, &b)) else { continue };
        wires.push(match (from, to) {
            (Side::Source, Side::Sink | Side::Either) | (Side::Either, Side::Sink) => (b, a),
            (Side::Sink, Side::Source | Side::Either) | (Side::Either, Side::Source) => (a, b),
            (Side::Either, Side::Either) => (b, a),
            _ => {
                return Err(format!("neither `{}` nor `{}` drives the other", shown(&a), shown(&b)))
            }
        });
    }
    Ok(wires)
}
