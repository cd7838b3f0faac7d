//! Wire formats: one protocol a file.
