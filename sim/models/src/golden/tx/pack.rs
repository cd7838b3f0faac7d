//! Twin of `hdl/src/tx/pack.rs`: packs the pieces of frames into beats of eight bytes.

use crate::golden::util::frame_fifo::Beat;

/// A piece of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub bytes: usize,
    pub last: bool,
    pub bad: bool,
}

/// Where the bytes of a beat are: frame number, offset, count.
pub type Place = (u64, usize, usize);

/// Bytes that wait for their frame's end.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    frame: u64,
    offset: usize,
    held: usize,
    /// The rest of a last piece, and whether its frame is bad.
    flush: Option<bool>,
    /// What leaves in this cycle, and whether its frame is bad.
    pub beat: Option<(Beat<Place>, bool)>,
}

impl Packer {
    /// One clock edge.
    pub fn step(&mut self, piece: Option<Piece>) {
        self.beat = None;
        if let Some(bad) = self.flush.take() {
            return self.emit(self.held, true, bad);
        }
        let Some(piece) = piece else { return };
        self.held += piece.bytes;
        match (piece.last, self.held) {
            (true, 9..) => {
                self.flush = Some(piece.bad);
                self.emit(8, false, false);
            }
            (true, held) => self.emit(held, true, piece.bad),
            (false, 8..) => self.emit(8, false, false),
            _ => {}
        }
    }

    fn emit(&mut self, bytes: usize, last: bool, bad: bool) {
        let data = (self.frame, self.offset, bytes);
        self.beat = Some((Beat { data, last }, bad));
        self.held -= bytes;
        self.offset += bytes;
        if last {
            self.frame += 1;
            (self.offset, self.held) = (0, 0);
        }
    }
}
