//! Rows of tables: the fields of one, assigned one after another, are an assignment of the whole.

use crate::ir::{Expr, Kind, Part, Stmt};
use crate::symbols::Symbols;

/// Assignments to fields; those that fill a signal are one assignment as far as they go upwards
/// from bit 0, and those that lie between them follow it.
pub fn whole(stmts: Vec<Stmt>, symbols: &Symbols) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = vec![];
    let mut fields: Vec<Field> = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Assign(name, Part::Fixed(offset, width), value)
                if offset == 0 || fields.first().is_some_and(|f| f.name == name) =>
            {
                if offset == 0 {
                    flush(&mut fields, symbols, &mut out);
                }
                fields.push(Field { name, offset, width, value });
            }
            other => {
                flush(&mut fields, symbols, &mut out);
                out.push(other);
            }
        }
    }
    flush(&mut fields, symbols, &mut out);
    out
}

/// An assignment to part of a signal.
struct Field {
    name: String,
    offset: usize,
    width: usize,
    value: Expr,
}

impl Field {
    /// Its value where it stands in a row of `bits`.
    fn placed(self, bits: usize) -> Expr {
        let value = self.value.zero_extended(bits);
        match self.offset {
            0 => value,
            by => {
                let by = Box::new(Expr::literal(by, 32));
                Expr::new(Kind::Shift("<<", Box::new(value), by), bits)
            }
        }
    }

    fn alone(self) -> Stmt {
        Stmt::Assign(self.name, Part::Fixed(self.offset, self.width), self.value)
    }
}

/// Whether the fields fill `bits`, each bit once, and none reads what is assigned.
fn fill(fields: &[Field], bits: usize) -> bool {
    let mut places: Vec<_> = fields.iter().map(|f| (f.offset, f.width)).collect();
    places.sort();
    let end = places.into_iter().try_fold(0, |end, (at, w)| (at == end).then_some(end + w));
    end == Some(bits) && !fields.iter().any(|f| f.value.mentions(&f.name))
}

/// Empties `fields` into `out`.
fn flush(fields: &mut Vec<Field>, symbols: &Symbols, out: &mut Vec<Stmt>) {
    let mut fields = std::mem::take(fields);
    let Some(name) = fields.first().map(|f| f.name.clone()) else { return };
    let bits = symbols.width(&name).unwrap_or_default();
    if fill(&fields, bits) {
        let steps = fields.windows(2).take_while(|pair| pair[0].offset < pair[1].offset).count();
        let between = fields.split_off(steps + 1);
        let zero = |f: &Field| matches!(&f.value.kind, Kind::Literal(v) if *v == 0_u32.into());
        let values = fields.drain(..).filter(|f| f.offset == 0 || !zero(f)).map(|f| f.placed(bits));
        let value = values.reduce(|all, field| {
            Expr::new(Kind::Binary("|", Box::new(all), Box::new(field)), bits)
        });
        out.extend(value.map(|value| Stmt::Assign(name, Part::Whole, value)));
        fields = between;
    }
    out.extend(fields.into_iter().map(Field::alone));
}

#[cfg(test)]
mod tests {
    use crate::{emit_block, Reg};
    use nic_block::{block, row};
    use rust_hdl_core::prelude::*;

    #[row]
    struct Posted<const FB: usize> {
        psn: Bits<24>,
        closed: Bit,
        mark: Bits<3>,
        flow: Bits<FB>,
        #[at(8)]
        middle: Bits<8>,
    }

    #[row(32)]
    struct Half {
        low: Bits<16>,
    }

    #[block(mealy)]
    struct Rows {
        pub psn: Signal<In, Bits<24>>,
        pub row: Signal<In, Posted<6>>,
        pub next_row: Signal<Out, Posted<6>>,
        pub late: Signal<Out, Posted<6>>,
        pub half: Signal<Out, Half>,
        pub is_closed: Signal<Out, Bit>,
        pub middle: Signal<Out, Bits<8>>,
        pub flow: Signal<Out, Bits<5>>,
        kept: Reg<Posted<6>>,
    }

    impl Logic for Rows {
        #[hdl_gen]
        fn update(&mut self) {
            self.is_closed.next = self.row.val().closed;
            self.middle.next = self.row.val().middle;
            self.flow.next = self.row.val().flow.get_bits::<5>(1);
            self.next_row.next.psn = self.psn.val();
            self.next_row.next.closed = false;
            self.next_row.next.mark = self.row.val().mark;
            self.next_row.next.flow = self.row.val().flow;
            self.late.next.psn = self.psn.val();
            self.late.next.mark = self.row.val().mark;
            self.late.next.flow = self.row.val().flow;
            self.late.next.closed = self.row.val().closed;
            self.half.next = 0.into();
            self.half.next.low = self.psn.val().get_bits::<16>(8);
            self.kept.next.psn = self.psn.val();
        }
    }

    #[test]
    fn fields_stand_where_the_row_says_and_fill_it_at_once() {
        let design = emit_block("uut", &Rows::default(), "test").expect("emits");
        let text = &design.modules[0].1;
        let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "input wire [33:0] row",
            "output reg [31:0] half",
            "is_closed = row[24];",
            "middle = row[15:8];",
            "flow = row[33:29];",
            "next_row = {10'd0, psn} | ({31'd0, row[27:25]} << 25) | ({28'd0, row[33:28]} << 28);",
            "late = {10'd0, psn} | ({31'd0, row[27:25]} << 25) | ({28'd0, row[33:28]} << 28);",
            "late[24] = row[24];",
            "half[15:0] = psn[23:8];",
            "kept_next[23:0] = psn;",
        ] {
            assert!(words.contains(part), "`{part}` is missing in:\n{text}");
        }
    }
}
