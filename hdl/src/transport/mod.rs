//! Reliable connection transport: responder and requester.

/// The packets of a message, of its bytes and `mtu_code`: parts of a kernel.
macro_rules! packets_parts {
    ([$($block:tt)*] { $($own:tt)* }) => {
        #[kernel]
        $($block)* {
            $($own)*

            fn round(&mut self) {
                match self.mtu_code.val().index() {
                    0 => {
                        self.round_up.next = 255.into();
                        self.shifted.next = self.rounded.val() >> 8;
                    }
                    1 => {
                        self.round_up.next = 511.into();
                        self.shifted.next = self.rounded.val() >> 9;
                    }
                    2 => {
                        self.round_up.next = 1023.into();
                        self.shifted.next = self.rounded.val() >> 10;
                    }
                    3 => {
                        self.round_up.next = 2047.into();
                        self.shifted.next = self.rounded.val() >> 11;
                    }
                    _ => {
                        self.round_up.next = 4095.into();
                        self.shifted.next = self.rounded.val() >> 12;
                    }
                }
            }

            fn count_packets(&mut self) {
                self.packets.next = self.shifted.val().get_bits::<24>(0);
                if !self.shifted.val().any() {
                    self.packets.next = 1.into();
                }
            }
        }
    };
}

pub mod ack;
pub mod completer;
pub mod feedback;
pub mod pkt_mux;
pub mod probe_out;
pub mod read;
pub mod requester;
pub mod responder;
pub mod window;
pub mod work_mux;
