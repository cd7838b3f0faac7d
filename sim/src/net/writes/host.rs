//! The software of one NIC: posts the plan's messages and books their completions.

use super::error::RunError;
use super::plan::Message;
use super::report::NicReport;
use crate::net::NetworkBus;
use nic_driver::rings::Work;
use nic_driver::{Completion, CompletionKind, Error, Nic, Qp, Status};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A NIC, its queue pairs and how far each is.
pub struct Host {
    pub nic: Nic<NetworkBus>,
    pub qps: Vec<Qp>,
    /// Queue pairs from this one on have a submission ring.
    pub first_ring_qp: usize,
    pub messages: Vec<Vec<Message>>,
    pub posted: Vec<usize>,
    pub completed: Vec<usize>,
    /// Immediate data and lengths, as they came.
    pub received: Vec<Vec<(u32, u32)>>,
    pub rng: ChaCha8Rng,
    pub report: NicReport,
}

impl Host {
    /// Books all completions that are there; how many.
    pub fn poll(&mut self) -> Result<u32, RunError> {
        let mut count = 0;
        loop {
            let next = if self.has_ring() { self.nic.poll_cq()? } else { self.nic.poll()? };
            let Some(completion) = next else { return Ok(count) };
            self.complete(&completion);
            count += 1;
        }
    }

    pub fn has_ring(&self) -> bool {
        self.first_ring_qp < self.qps.len()
    }

    /// Books a completion: those of a queue pair come in the order of its posts, each once.
    fn complete(&mut self, completion: &Completion) {
        let at = self.qps.iter().position(|qp| qp.flow_index == completion.flow_index);
        let is_ok = completion.status == Status::Ok;
        self.report.failures += u32::from(!is_ok);
        if let (CompletionKind::Received, Some(at)) = (completion.kind, at) {
            self.report.received += 1;
            self.received[at].push((completion.immediate, completion.byte_count));
            return;
        }
        self.report.completions += u32::from(is_ok);
        let message = at.and_then(|at| {
            self.qps[at].complete(completion);
            let next = self.completed[at];
            self.completed[at] += 1;
            let message = self.messages[at].get(next).filter(|_| next < self.posted[at])?;
            (completion.wr_id == next as u32).then_some(message)
        });
        let is_ours = completion.kind == CompletionKind::Requester;
        let right = message.is_some_and(|m| is_ours && m.length_bytes == completion.byte_count);
        self.report.completions_wrong += u32::from(!right);
    }
}

/// Posts as much as there is room for; to a ring in batches of random length.
pub fn post(host: &mut Host, peer: usize, sq_log2: u8) -> Result<(), RunError> {
    for at in 0..host.qps.len() {
        let (nic, qp) = (&mut host.nic, &mut host.qps[at]);
        loop {
            let queue = &host.messages[at][host.posted[at]..];
            let longest = if at < host.first_ring_qp { 1 } else { 1 << sq_log2 };
            let count = host.rng.gen_range(1..=longest).min(queue.len());
            let batch: Vec<Work> = queue[..count].iter().map(|m| m.work(peer)).collect();
            let result = match batch[..] {
                [] => break,
                _ if at >= host.first_ring_qp => nic.submit(qp, &batch),
                [Work::Write(write), ..] => nic.post_write(qp, &write),
                [Work::Read(read), ..] => nic.post_read(qp, &read),
            };
            match result {
                Ok(_) => host.posted[at] += count,
                Err(Error::SendQueueFull | Error::Refused) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Every WRITE with immediate was received once, in order.
pub fn check_received(hosts: &mut [Host]) {
    for at in 0..2 {
        for qp in 0..hosts[at].qps.len() {
            let sent = hosts[1 - at].messages[qp].iter();
            let sent = sent.filter_map(|m| Some((m.immediate?, m.length_bytes)));
            let right = sent.eq(hosts[at].received[qp].iter().copied());
            hosts[at].report.completions_wrong += u32::from(!right);
        }
    }
}
