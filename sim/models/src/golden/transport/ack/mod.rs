//! Twins of the acknowledgements.

pub mod gen;
