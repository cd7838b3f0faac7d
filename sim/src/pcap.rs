//! Captures: reads classic pcap of both byte orders, with microsecond and nanosecond time stamps, and
//! [pcapng](ng); writes little-endian classic pcap with nanoseconds. (Of the crates, pcap-file's
//! newest release is a candidate for its third version, pcap-parser is a parser framework, and neither
//! tells the record an error is in; each format is one page.)

mod ng;
mod record;

use record::RECORD_BYTES_MAX;
pub use record::{Error, ErrorKind, Record, LINKTYPE_ETHERNET};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MAGIC_US: u32 = 0xa1b2_c3d4;
const MAGIC_NS: u32 = 0xa1b2_3c4d;
const FILE_HEADER_BYTES: usize = 24;
const RECORD_HEADER_BYTES: usize = 16;

/// Reads all records of a capture of whole Ethernet frames.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Record>, Error> {
    let path = path.as_ref();
    let parsed = fs::read(path).map_err(ErrorKind::Io).and_then(|bytes| parse(&bytes));
    parsed.map_err(|kind| Error { path: path.into(), kind })
}

/// Reads all records of a capture in memory.
pub fn parse(bytes: &[u8]) -> Result<Vec<Record>, ErrorKind> {
    if bytes.starts_with(&ng::SECTION.to_be_bytes()) {
        return ng::parse(bytes);
    }
    let header = bytes.get(..FILE_HEADER_BYTES).ok_or(ErrorKind::NotPcap)?;
    let little = u32::from_le_bytes(header[..4].try_into().expect("4 bytes"));
    let (is_big_endian, ns_per_fraction) = match (little, little.swap_bytes()) {
        (MAGIC_US, _) => (false, 1000),
        (MAGIC_NS, _) => (false, 1),
        (_, MAGIC_US) => (true, 1000),
        (_, MAGIC_NS) => (true, 1),
        _ => return Err(ErrorKind::NotPcap),
    };
    let word = |bytes: &[u8], at: usize| {
        let bytes: [u8; 4] = bytes[at..at + 4].try_into().expect("4 bytes");
        if is_big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    };
    // The upper bits of the word say whether and how long an FCS is.
    let link_type = word(header, 20) & 0xffff;
    if link_type != LINKTYPE_ETHERNET {
        return Err(ErrorKind::LinkType(link_type));
    }
    let mut records = Vec::new();
    let mut rest = &bytes[FILE_HEADER_BYTES..];
    while !rest.is_empty() {
        let number = records.len() + 1;
        let header = rest.get(..RECORD_HEADER_BYTES).ok_or(ErrorKind::Truncated(number))?;
        let (captured, original) = (word(header, 8) as usize, word(header, 12) as usize);
        if captured > RECORD_BYTES_MAX {
            return Err(ErrorKind::RecordLength(number, captured));
        }
        let end = RECORD_HEADER_BYTES + captured;
        let data = rest.get(RECORD_HEADER_BYTES..end).ok_or(ErrorKind::Truncated(number))?;
        if captured < original {
            return Err(ErrorKind::Snapped(number, captured, original));
        }
        let seconds_ns = u64::from(word(header, 0)) * 1_000_000_000;
        let time_ns = seconds_ns + u64::from(word(header, 4)) * ns_per_fraction;
        records.push(Record { time_ns, data: data.into() });
        rest = &rest[end..];
    }
    Ok(records)
}

/// Writes a capture with nanosecond time stamps, little-endian.
pub fn write<'a>(
    path: impl AsRef<Path>,
    records: impl IntoIterator<Item = &'a Record>,
) -> Result<(), Error> {
    let mut writer = Writer::create(path)?;
    records.into_iter().try_for_each(|record| writer.record(record))?;
    writer.flush()
}

/// A capture that grows, with nanosecond time stamps, little-endian.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: io::BufWriter<fs::File>,
}

impl Writer {
    /// Begins a capture.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().to_path_buf();
        let file = fs::File::create(&path)
            .map_err(|error| Error { path: path.clone(), kind: ErrorKind::Io(error) })?;
        let mut writer = Self { path, file: io::BufWriter::new(file) };
        writer.write(&header_bytes())?;
        Ok(writer)
    }

    /// Appends a frame.
    pub fn record(&mut self, record: &Record) -> Result<(), Error> {
        self.write(&record_bytes(record))
    }

    /// Brings everything to the file.
    pub fn flush(&mut self) -> Result<(), Error> {
        let flushed = self.file.flush();
        flushed.map_err(|error| Error { path: self.path.clone(), kind: ErrorKind::Io(error) })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| Error { path: self.path.clone(), kind: ErrorKind::Io(error) })
    }
}

/// The bytes of a capture with nanosecond time stamps, little-endian.
pub fn to_bytes<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut bytes = header_bytes();
    records.into_iter().for_each(|record| bytes.extend(record_bytes(record)));
    bytes
}

fn words(values: &[u32]) -> impl Iterator<Item = u8> + '_ {
    values.iter().flat_map(|value| value.to_le_bytes())
}

fn header_bytes() -> Vec<u8> {
    let mut bytes: Vec<u8> = words(&[MAGIC_NS]).collect();
    bytes.extend([2, 0, 4, 0]);
    bytes.extend(words(&[0, 0, RECORD_BYTES_MAX as u32, LINKTYPE_ETHERNET]));
    bytes
}

fn record_bytes(record: &Record) -> Vec<u8> {
    let length = record.data.len() as u32;
    let (seconds, ns) = (record.time_ns / 1_000_000_000, record.time_ns % 1_000_000_000);
    let header = [seconds as u32, ns as u32, length, length];
    words(&header).chain(record.data.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One frame of two bytes at 1.000002 s, big-endian microseconds.
    const BIG_ENDIAN: [u8; 42] = [
        0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 1,
        0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0xab, 0xcd,
    ];

    #[test]
    fn pcap_reads_both_byte_orders() {
        let expected = vec![Record { time_ns: 1_000_002_000, data: vec![0xab, 0xcd] }];
        assert_eq!(parse(&BIG_ENDIAN).unwrap(), expected);
        assert_eq!(parse(&to_bytes(&expected)).unwrap(), expected);
    }

    #[test]
    fn pcap_reads_a_capture() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/rxe/");
        let records = read(format!("{dir}nak_bad_range_read.pcap")).unwrap();
        assert_eq!(records.iter().map(|r| r.data.len()).collect::<Vec<_>>(), [74, 62]);
    }

    #[test]
    fn pcap_errors_name_file_and_record() {
        let text = |bytes: &[u8]| {
            let kind = parse(bytes).unwrap_err();
            Error { path: "x.pcap".into(), kind }.to_string()
        };
        assert!(text(&BIG_ENDIAN[..41]).starts_with("x.pcap: record 1: the file ends"));
        assert!(text(&BIG_ENDIAN[..30]).starts_with("x.pcap: record 1: the file ends"));
        assert!(text(&BIG_ENDIAN[..20]).contains("not a pcap or pcapng file"));
        let changed = |index: usize, value: u8| {
            let mut bytes = BIG_ENDIAN;
            bytes[index] = value;
            text(&bytes)
        };
        assert!(changed(23, 113).contains("link type 113"));
        assert!(changed(39, 9).contains("only 2 of 9 bytes"));
        assert!(changed(32, 9).contains("the file is damaged"));
        assert!(read("/nonexistent/a.pcap").unwrap_err().to_string().contains("cannot open"));
    }
}
