//! What a kernel needn't say: that registers keep their values, and the clock and the reset of
//! sub-blocks. By exact name, nothing else.

use crate::ir::{Expr, Part, Stmt};
use crate::symbols::verilog_name;
use crate::walk::Scope;

/// Inputs of a sub-block that are the block's own of the same name unless the kernel says
/// otherwise.
const IMPLIED: [&str; 2] = ["clock", "reset"];

/// The statements that stand before the kernel.
pub fn defaults(scope: &Scope) -> Vec<Stmt> {
    let mut stmts = vec![];
    for (register, _) in scope.registers() {
        let name = verilog_name(&register.shown);
        let held = Expr::signal(&name, register.width, register.signed);
        stmts.push(Stmt::Assign(format!("{name}_next"), Part::Whole, held));
    }
    for child in scope.blocks() {
        for port in IMPLIED.into_iter().filter(|p| child.has_input(p) && scope.has_input(p)) {
            let target = verilog_name(&format!("{}${port}", child.name));
            stmts.push(Stmt::Assign(target, Part::Whole, Expr::signal(port, 1, false)));
        }
    }
    stmts
}
