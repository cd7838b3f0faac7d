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
