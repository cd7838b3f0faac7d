//! For how long a queue was how long: a time-weighted histogram.

/// Buckets of an octave.
const STEPS: u64 = 32;
const STEP_BITS: u32 = STEPS.ilog2();
/// Lengths are below 2^32 bytes.
const BUCKETS: usize = ((32 - STEP_BITS as usize) + 1) * STEPS as usize;

/// Picoseconds by queue length in bytes. A bucket is at most 1/32 of its length wide; the first ones
/// are of one byte.
#[derive(Clone, Debug)]
pub struct Histogram {
    time_ps: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { time_ps: vec![0; BUCKETS] }
    }
}

impl Histogram {
    #[inline]
    fn bucket(bytes: u64) -> usize {
        if bytes < 2 * STEPS {
            return bytes as usize;
        }
        let shift = bytes.ilog2() - STEP_BITS;
        (u64::from(shift) * STEPS + (bytes >> shift)) as usize
    }

    /// Lengths of a bucket: the first, and the one behind the last.
    fn range(bucket: usize) -> (u64, u64) {
        let bucket = bucket as u64;
        if bucket < 2 * STEPS {
            return (bucket, bucket + 1);
        }
        let (shift, step) = (bucket / STEPS - 1, bucket % STEPS + STEPS);
        (step << shift, (step + 1) << shift)
    }

    /// The queue was `bytes` long for `time_ps`.
    #[inline]
    pub fn add(&mut self, bytes: u64, time_ps: u64) {
        self.time_ps[Self::bucket(bytes)] += time_ps;
    }

    /// What another one has counted, too.
    pub fn merge(&mut self, other: &Self) {
        self.time_ps.iter_mut().zip(&other.time_ps).for_each(|(to, from)| *to += from);
    }

    /// All time that was counted.
    pub fn total_ps(&self) -> u64 {
        self.time_ps.iter().sum()
    }

    /// Buckets that were met: the first length, the one behind the last, and the time.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let met = self.time_ps.iter().enumerate().filter(|(_, time_ps)| **time_ps > 0);
        met.map(|(bucket, time_ps)| {
            let (from, to) = Self::range(bucket);
            (from, to, *time_ps)
        })
    }

    /// The length that the queue does not exceed for `share` of the time, to the end of its bucket;
    /// 0 if nothing was counted.
    pub fn quantile_bytes(&self, share: f64) -> u64 {
        let wanted = share * self.total_ps() as f64;
        let mut sum = 0;
        for (_, to, time_ps) in self.buckets() {
            sum += time_ps;
            if sum as f64 >= wanted {
                return to - 1;
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_buckets_follow_each_other() {
        let mut next = 0;
        for bucket in 0..BUCKETS {
            let (from, to) = Histogram::range(bucket);
            assert_eq!(from, next, "bucket {bucket}");
            assert!(to > from && (from == 0 || to - from <= from.div_ceil(STEPS)));
            assert_eq!((Histogram::bucket(from), Histogram::bucket(to - 1)), (bucket, bucket));
            next = to;
        }
        assert_eq!(next, 1 << 32);
    }

    #[test]
    fn histogram_quantiles_are_by_time() {
        let mut histogram = Histogram::default();
        histogram.add(0, 900);
        histogram.add(10, 90);
        histogram.add(1_000_000, 10);
        assert_eq!(histogram.quantile_bytes(0.5), 0);
        assert_eq!(histogram.quantile_bytes(0.95), 10);
        let longest = histogram.quantile_bytes(0.999);
        assert!((1_000_000..1_032_000).contains(&longest), "{longest}");
        assert_eq!(histogram.total_ps(), 1000);
    }
}
