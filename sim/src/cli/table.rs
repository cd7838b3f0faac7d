//! Plain text tables: first column left, the others right aligned.

/// Rows of equal length under a header.
#[derive(Clone, Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column names.
    pub fn new<const N: usize>(header: [&str; N]) -> Self {
        Self { rows: vec![header.map(String::from).to_vec()] }
    }

    /// Adds a row, which must have as many cells as the header.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(self.rows[0].len(), N, "cells in a row");
        self.rows.push(cells.to_vec());
    }
}

impl core::fmt::Display for Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let width = |at: usize| self.rows.iter().map(|r| r[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        for (i, row) in self.rows.iter().enumerate() {
            write!(f, "{:<1$}", row[0], widths[0])?;
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)?;
            if i == 0 {
                let total: usize = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
                writeln!(f, "{}", "-".repeat(total))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_align() {
        let mut table = Table::new(["block", "cycles"]);
        table.row(["skid".into(), "1000000".into()]);
        assert_eq!(table.to_string(), "block   cycles\n--------------\nskid   1000000\n");
    }
}
