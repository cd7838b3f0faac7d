//! The emitter's own form of a module: every expression knows its exact width.

use num_bigint::BigUint;
use std::collections::BTreeMap;

/// An expression with its width.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Width in bits, exact.
    pub width: usize,
    /// Two's complement.
    pub signed: bool,
}

/// Called with a name that is read, and of what part of it: low bit and width.
pub type Reader<'a> = dyn FnMut(&str, Option<(usize, usize)>) + 'a;

/// Kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A whole signal.
    Signal(String),
    /// A localparam and its value.
    Constant(String, BigUint),
    /// A number.
    Literal(BigUint),
    /// Part of a signal from a fixed offset.
    Slice(String, usize),
    /// Part of a signal from a computed offset.
    DynSlice(String, Box<Expr>),
    /// `~`, `!` or `-`.
    Unary(&'static str, Box<Expr>),
    /// `&x`, `|x`, `^x`.
    Reduce(&'static str, Box<Expr>),
    /// Operands as wide as the result, or a compare of operands of equal width.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `<<` or `>>`; the amount's width is its own.
    Shift(&'static str, Box<Expr>, Box<Expr>),
    /// Most significant part first.
    Concat(Vec<Expr>),
    /// `{n{bit}}`.
    Repeat(usize, Box<Expr>),
    /// `$signed` or `$unsigned`.
    Sign(&'static str, Box<Expr>),
}

impl Expr {
    /// A whole signal.
    pub fn signal(name: &str, width: usize, signed: bool) -> Self {
        Self { kind: Kind::Signal(name.into()), width, signed }
    }

    /// A number of `width` bits.
    pub fn literal(value: impl Into<BigUint>, width: usize) -> Self {
        Self { kind: Kind::Literal(value.into()), width, signed: false }
    }

    /// An unsigned expression.
    pub fn new(kind: Kind, width: usize) -> Self {
        Self { kind, width, signed: false }
    }

    /// The same with zeros in front.
    pub fn zero_extended(self, width: usize) -> Self {
        if width <= self.width {
            return self;
        }
        if let Kind::Literal(value) = self.kind {
            return Self::literal(value, width);
        }
        let zeros = Self::literal(0_u32, width - self.width);
        Self::new(Kind::Concat(vec![zeros, self]), width)
    }

    /// The low `width` bits, if they can be written without a temporary.
    pub fn truncated(self, width: usize) -> Option<Self> {
        if width >= self.width {
            return (width == self.width).then_some(self);
        }
        let low = |e: Box<Expr>| e.truncated(width).map(Box::new);
        let kind = match self.kind {
            Kind::Signal(name) => Kind::Slice(name, 0),
            Kind::Slice(name, offset) => Kind::Slice(name, offset),
            Kind::DynSlice(name, offset) => Kind::DynSlice(name, offset),
            Kind::Literal(v) | Kind::Constant(_, v) => Kind::Literal(low_bits(&v, width)),
            Kind::Unary(op, x) if op != "!" => Kind::Unary(op, low(x)?),
            Kind::Binary(op @ ("&" | "|" | "^" | "+" | "-"), l, r) => {
                Kind::Binary(op, low(l)?, low(r)?)
            }
            Kind::Shift("<<", l, by) => Kind::Shift("<<", low(l)?, by),
            Kind::Concat(mut parts) => {
                let last = parts.pop()?;
                if last.width >= width {
                    return last.truncated(width);
                }
                let rest = width - last.width;
                let above = parts.iter().map(|p| p.width).sum();
                let front = Expr::new(Kind::Concat(parts), above).truncated(rest)?;
                Kind::Concat(vec![front, last])
            }
            _ => return None,
        };
        Some(Self::new(kind, width))
    }

    /// Calls `f` with (signal, low bit, width) for every read in this expression.
    pub fn reads(&self, f: &mut Reader) {
        match &self.kind {
            Kind::Signal(name) => f(name, None),
            Kind::Constant(name, _) => f(name, None),
            Kind::Literal(_) => {}
            Kind::Slice(name, offset) => f(name, Some((*offset, self.width))),
            Kind::DynSlice(name, offset) => {
                f(name, None);
                offset.reads(f);
            }
            Kind::Unary(_, x) | Kind::Reduce(_, x) | Kind::Repeat(_, x) | Kind::Sign(_, x) => {
                x.reads(f)
            }
            Kind::Binary(_, l, r) | Kind::Shift(_, l, r) => {
                l.reads(f);
                r.reads(f);
            }
            Kind::Concat(parts) => parts.iter().for_each(|p| p.reads(f)),
        }
    }

    /// The expression reads `name`.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.reads(&mut |n, _| found |= n == name);
        found
    }

    /// A signal, constant or number without operators.
    pub fn is_plain(&self) -> bool {
        matches!(self.kind, Kind::Signal(_) | Kind::Constant(..) | Kind::Literal(_))
    }

    /// A value that never changes.
    pub fn is_constant(&self) -> bool {
        matches!(self.kind, Kind::Constant(..) | Kind::Literal(_))
    }
}

/// The low `width` bits of a number.
pub fn low_bits(value: &BigUint, width: usize) -> BigUint {
    value % (BigUint::from(1_u32) << width)
}

/// What of a variable an assignment writes.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// All of it.
    Whole,
    /// Bits from a fixed offset: offset, width.
    Fixed(usize, usize),
    /// Bits from a computed offset: offset, width.
    Dynamic(Expr, usize),
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Target, part of it, value.
    Assign(String, Part, Expr),
    /// Condition, then, else.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Value, arms (`None` is the default).
    Case(Expr, Vec<(Option<Expr>, Vec<Stmt>)>),
    /// A comment.
    Comment(String),
}

impl Stmt {
    /// Calls `f` for each assigned variable.
    pub fn writes(&self, f: &mut dyn FnMut(&str)) {
        match self {
            Stmt::Assign(name, _, _) => f(name),
            Stmt::If(_, then, other) => {
                then.iter().chain(other).for_each(|s| s.writes(f));
            }
            Stmt::Case(_, arms) => arms.iter().flat_map(|a| &a.1).for_each(|s| s.writes(f)),
            Stmt::Comment(_) => {}
        }
    }

    /// Calls `f` for each read, conditions included.
    pub fn reads(&self, f: &mut Reader) {
        match self {
            Stmt::Assign(_, part, value) => {
                if let Part::Dynamic(offset, _) = part {
                    offset.reads(f);
                }
                value.reads(f);
            }
            Stmt::If(cond, then, other) => {
                cond.reads(f);
                then.iter().chain(other).for_each(|s| s.reads(f));
            }
            Stmt::Case(test, arms) => {
                test.reads(f);
                for (label, body) in arms {
                    if let Some(label) = label {
                        label.reads(f);
                    }
                    body.iter().for_each(|s| s.reads(f));
                }
            }
            Stmt::Comment(_) => {}
        }
    }

    /// The variable, if this is an assignment of all of it.
    pub fn whole_target(&self) -> Option<&str> {
        match self {
            Stmt::Assign(name, Part::Whole, _) => Some(name),
            _ => None,
        }
    }
}

/// Direction of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Into the block.
    In,
    /// Out of the block.
    Out,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name in Verilog.
    pub name: String,
    /// Direction.
    pub dir: Dir,
    /// Width in bits.
    pub width: usize,
    /// Two's complement.
    pub signed: bool,
    /// A clock.
    pub clock: bool,
}

/// What drives a variable of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An input port.
    Input,
    /// An output port.
    Output,
    /// A local of the kernel.
    Local,
    /// A register.
    Register,
    /// The register's next value.
    Next,
    /// An input of an instance.
    InstanceInput,
    /// An output of an instance.
    InstanceOutput,
}

impl Role {
    /// The kernel assigns it.
    pub fn is_variable(self) -> bool {
        matches!(self, Role::Output | Role::Local | Role::Next | Role::InstanceInput)
    }
}

/// A declared signal of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// What it is for.
    pub role: Role,
    /// Width in bits.
    pub width: usize,
    /// Two's complement.
    pub signed: bool,
    /// A register of many states, to be encoded one-hot.
    pub one_hot: bool,
    /// Place in the struct, for the order of declarations.
    pub order: usize,
}

/// A register.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Name; its next value is `<name>_next`.
    pub name: String,
    /// What it holds after a reset, if a reset sets it.
    pub reset: Option<Expr>,
}

/// An instance of another module.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Name in this module; its nets start with it.
    pub name: String,
    /// Name of the instance itself: another one where its module has a signal of that name.
    pub label: String,
    /// Index of the module in the library.
    pub module: usize,
    /// Name and value of each parameter, if the module is a cell.
    pub parameters: Vec<(String, String)>,
    /// Port and what it is connected to.
    pub connections: Vec<(String, Expr)>,
}

impl Module {
    /// The module declares something called `name`.
    pub fn declares(&self, name: &str) -> bool {
        let in_text = match &self.body {
            Body::Custom(text) => words(text).iter().any(|w| w == name),
            // The first two words are `module` and its own name.
            Body::Cell(text) => words(text).iter().skip(2).any(|w| w == name),
            Body::Kernel(_) => false,
        };
        in_text
            || self.signals.contains_key(name)
            || self.constants.iter().any(|c| c.0 == name)
            || self.instances.iter().any(|i| i.label == name)
    }
}

/// A statement and the comments before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Comments that stand before it.
    pub comments: Vec<String>,
    /// The statement; never a comment.
    pub stmt: Stmt,
}

/// A kernel, ordered for reading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Groups of statements; a group of one whole assignment becomes an `assign`.
    pub groups: Vec<Vec<Item>>,
    /// Register -> value at the clock edge.
    pub loads: BTreeMap<String, Expr>,
    /// Comments of loads that left the kernel.
    pub load_comments: BTreeMap<String, Vec<String>>,
    /// Instance input -> what it is connected to.
    pub connections: BTreeMap<String, Expr>,
}

/// What a module does.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A kernel.
    Kernel(Plan),
    /// Verilog written by hand; it uses the port names.
    Custom(String),
    /// A whole module with parameters, written by hand.
    Cell(String),
}

/// A module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Where its first instance stands, for messages.
    pub place: String,
    /// snake_case name without parameters.
    pub base: String,
    /// Const parameters.
    pub params: Vec<String>,
    /// Rust type.
    pub type_name: String,
    /// Ports, in the order of the struct.
    pub ports: Vec<Port>,
    /// Localparams: name, value, width, signed.
    pub constants: Vec<(String, BigUint, usize, bool)>,
    /// All signals by name.
    pub signals: BTreeMap<String, Signal>,
    /// Registers.
    pub registers: Vec<Register>,
    /// Instances.
    pub instances: Vec<Instance>,
    /// What it does.
    pub body: Body,
    /// Output -> inputs that it depends on within the cycle.
    pub paths: BTreeMap<String, Vec<String>>,
}

/// The identifiers of a piece of Verilog.
pub fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    split
        .filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .map(Into::into)
        .collect()
}
