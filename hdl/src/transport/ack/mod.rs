//! Acknowledgements of the responder.

pub mod gen;
pub mod hop;
pub mod rows;
pub mod tel;
