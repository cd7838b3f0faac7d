//! Names of a block: what the kernel's names mean, and which names Verilog allows.

use crate::error::{Finding, Rule};
use crate::walk::{AtomInfo, Part, Scope};
use num_bigint::BigUint;
use rust_hdl_core::atom::AtomKind;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

/// States up to which Yosys encodes a state machine one-hot by itself.
const STATES_ONE_HOT_MAX: usize = 31;

/// What a name of the kernel stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// Input port.
    Input,
    /// Output port.
    Output,
    /// Local signal.
    Local,
    /// Constant or enum variant with its value.
    Constant(BigUint),
    /// Output of a register.
    RegisterQ,
    /// What a register holds from the next edge on.
    RegisterNext,
    /// Input of an instance.
    InstanceInput,
    /// Output of an instance.
    InstanceOutput,
}

/// A name of the kernel.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// What it stands for.
    pub class: Class,
    /// Its name in Verilog.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Two's complement.
    pub signed: bool,
    /// A register of more states than synthesis encodes one-hot of its own accord.
    pub one_hot: bool,
    /// Place in the struct.
    pub order: usize,
}

/// All names of a block, by their `$`-joined form.
#[derive(Default)]
pub struct Symbols {
    /// By the name that the kernel reads.
    pub by_path: HashMap<String, Symbol>,
    /// Registers by the name that the kernel assigns.
    pub next: HashMap<String, Symbol>,
    /// Members that a bundle doesn't have in its kind.
    pub absent: HashSet<String>,
    verilog: BTreeMap<String, String>,
    count: usize,
}

impl Symbols {
    /// Width of what the kernel assigns, by its name in Verilog.
    pub fn width(&self, name: &str) -> Option<usize> {
        let of = |s: &&Symbol| s.name == name;
        self.by_path.values().find(of).or(self.next.values().find(of)).map(|s| s.width)
    }

    /// Adds a name and checks it.
    fn add(&mut self, place: &str, path: String, mut symbol: Symbol, out: &mut Vec<Finding>) {
        symbol.order = self.count;
        self.count += 1;
        self.claim(place, &path, &symbol.name, out);
        self.by_path.insert(path, symbol);
    }

    fn claim(&mut self, place: &str, path: &str, name: &str, out: &mut Vec<Finding>) {
        let at = format!("{place}.{}", path.replace('$', "."));
        if is_keyword(name) {
            let text = format!("`{name}` is a keyword of (System)Verilog: rename the signal");
            out.push(Finding::new(at, Rule::Keyword, text));
        } else if let Some(other) = self.verilog.insert(name.into(), path.into()) {
            let other = other.replace('$', ".");
            let text = format!("`{name}` is also the Verilog name of `{other}`: rename one");
            out.push(Finding::new(at, Rule::Collision, text));
        }
    }
}

/// Verilog name of a `$`-joined one.
pub fn verilog_name(path: &str) -> String {
    path.replace('$', "_")
}

/// `RxState$WaitHeader` becomes `RX_STATE_WAIT_HEADER`.
pub fn enum_name(path: &str) -> String {
    path.split('$').map(|p| snake_case(p).to_uppercase()).collect::<Vec<_>>().join("_")
}

/// `RxPipe` becomes `rx_pipe`.
pub fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let after_lower = i > 0 && (chars[i - 1].is_lowercase() || chars[i - 1].is_ascii_digit());
        let before_lower = i > 0
            && chars[i - 1].is_uppercase()
            && chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The names of a block.
pub fn symbols(scope: &Scope, place: &str, out: &mut Vec<Finding>) -> Symbols {
    let mut table = Symbols::default();
    for atom in &scope.atoms {
        let class = match atom.kind {
            AtomKind::InputParameter => Class::Input,
            AtomKind::OutputParameter => Class::Output,
            AtomKind::LocalSignal => Class::Local,
            AtomKind::Constant => Class::Constant(atom.value.clone()),
            _ => {
                let text = "inout and pass-through signals can't be emitted: use In and Out";
                out.push(Finding::new(format!("{place}.{}", atom.name), Rule::Structure, text));
                continue;
            }
        };
        let symbol = Symbol {
            class,
            name: verilog_name(&atom.shown),
            width: atom.width,
            signed: atom.signed,
            one_hot: false,
            order: 0,
        };
        table.add(place, atom.name.clone(), symbol, out);
    }
    for part in &scope.parts {
        match part {
            Part::Register { atom, .. } => add_register(&mut table, atom, place, out),
            Part::Block(child) => add_instance(&mut table, child, place, out),
        }
    }
    table.absent.extend(scope.absent.iter().cloned());
    add_enums(&mut table, scope, place, out);
    table
}

fn add_register(table: &mut Symbols, atom: &AtomInfo, place: &str, out: &mut Vec<Finding>) {
    let name = verilog_name(&atom.shown);
    let new = |class, name, one_hot| Symbol {
        class,
        name,
        width: atom.width,
        signed: atom.signed,
        one_hot,
        order: 0,
    };
    let one_hot = atom.enums.len() > STATES_ONE_HOT_MAX;
    table.add(place, atom.name.clone(), new(Class::RegisterQ, name.clone(), one_hot), out);
    let next = format!("{name}_next");
    table.claim(place, &atom.name, &next, out);
    let order = table.count;
    table.count += 1;
    let symbol = Symbol { order, ..new(Class::RegisterNext, next, false) };
    table.next.insert(atom.name.clone(), symbol);
}

fn add_instance(table: &mut Symbols, child: &Scope, place: &str, out: &mut Vec<Finding>) {
    table.claim(place, &child.name, &verilog_name(&child.name), out);
    for atom in &child.atoms {
        let class = match atom.kind {
            AtomKind::InputParameter => Class::InstanceInput,
            AtomKind::OutputParameter => Class::InstanceOutput,
            _ => continue,
        };
        let path = format!("{}${}", child.name, atom.name);
        let symbol = Symbol {
            class,
            name: verilog_name(&format!("{}${}", child.name, atom.shown)),
            width: atom.width,
            signed: atom.signed,
            one_hot: false,
            order: 0,
        };
        table.add(place, path, symbol, out);
    }
}

fn add_enums(table: &mut Symbols, scope: &Scope, place: &str, out: &mut Vec<Finding>) {
    let of_parts = scope.parts.iter().flat_map(|part| match part {
        Part::Register { atom, .. } => std::slice::from_ref(atom),
        Part::Block(child) => &child.atoms[..],
    });
    for (path, value, width) in scope.atoms.iter().chain(of_parts).flat_map(|a| &a.enums) {
        if table.by_path.contains_key(path) {
            continue;
        }
        let symbol = Symbol {
            class: Class::Constant(BigUint::from(*value)),
            name: enum_name(path),
            width: *width,
            signed: false,
            one_hot: false,
            order: 0,
        };
        table.add(place, path.clone(), symbol, out);
    }
}

/// Reserved in Verilog-2005 or SystemVerilog-2017.
pub fn is_keyword(name: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| KEYWORDS.split_whitespace().collect());
    SET.contains(name)
}

const KEYWORDS: &str = "
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
checker class clocking cmos config const constraint context continue cover covergroup coverpoint
cross deassign default defparam design disable dist do edge else end endcase endchecker endclass
endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage
endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually
expect export extends extern final first_match for force foreach forever fork forkjoin function
generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies
import incdir include initial inout input inside instance int integer interconnect interface
intersect join join_any join_none large let liblist library local localparam logic longint
macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive
priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect
pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg reject_on
release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually
s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small
soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1
sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran
tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned
until until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0
weak1 while wildcard wire with within wor xnor xor";
