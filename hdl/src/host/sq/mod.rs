//! Send queues in host memory.

pub mod book;
pub mod fetch;
pub mod flows;
pub mod rows;
