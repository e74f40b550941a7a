//! Zip archives, as far as NumPy writes them: stored or deflated members, no encryption.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use crate::error::{Error, ErrorKind};
use crate::input::{ABSURD_BYTES, ABSURD_RATIO};

/// The bytes of the record at the end of an archive, without its comment.
const END: usize = 22;

/// The bytes of a member's entry in the directory, without name and extra fields.
const ENTRY: usize = 46;

/// The bytes before a member's data, without name and extra fields.
const LOCAL: usize = 30;

/// The most members of an archive: a sparse matrix has five or six.
const MOST_MEMBERS: usize = 1024;

/// An archive whose directory has been read.
pub(super) struct Archive<'a> {
    path: &'a Path,
    file: File,
    length: u64,
    members: Vec<Member>,
}

/// A member of an archive, as the directory describes it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    name: Vec<u8>,
    method: u16,
    crc: u32,
    compressed: u64,
    /// The number of bytes when they are decompressed. No more than that are ever read.
    pub(super) size: u64,
    offset: u64,
}

impl<'a> Archive<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, Error> {
        let reading = |error: io::Error| Error::reading(path, &error);
        let mut file = File::open(path).map_err(reading)?;
        let about = file.metadata().map_err(reading)?;
        if about.is_dir() {
            return Err(reading(io::ErrorKind::IsADirectory.into()));
        }
        if !about.is_file() {
            let what =
                "is a zip archive, which is read from its end, through a pipe; save it first";
            return Err(Error::new(ErrorKind::Format, path, what));
        }
        let length = about.len();
        let directory = directory(path, &mut file, length)?;
        Ok(Self { path, file, length, members: members(path, &directory)? })
    }

    /// The member of a name, whose claims fit into the archive.
    pub(super) fn member(&self, name: &str) -> Result<Member, Error> {
        let found = self.members.iter().find(|member| member.name == name.as_bytes());
        let Some(member) = found else {
            let what = format!(
                "has no {name}, so it is no sparse matrix; write one with scipy.sparse.save_npz(file, X.tocsr())"
            );
            return Err(Error::new(ErrorKind::Format, self.path, what));
        };
        if member.offset.saturating_add(member.compressed) > self.length {
            return Err(damaged(self.path, &format!("{name} is beyond its end")));
        }
        if member.size > ABSURD_BYTES && member.size / ABSURD_RATIO > member.compressed {
            return Err(Error::reading(self.path, &io::ErrorKind::FileTooLarge.into()));
        }
        Ok(member.clone())
    }

    /// The decompressed bytes of a member; a read fails after them if they are damaged.
    pub(super) fn read(&self, member: &Member) -> Result<impl Read + '_, Error> {
        let reading = |error: io::Error| Error::reading(self.path, &error);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(member.offset)).map_err(reading)?;
        let mut local = [0; LOCAL];
        file.read_exact(&mut local).map_err(reading)?;
        if !local.starts_with(b"PK\x03\x04") {
            return Err(damaged(self.path, "a member is not where its directory says"));
        }
        let skipped = i64::from(u16_at(&local, 26)) + i64::from(u16_at(&local, 28));
        file.seek(SeekFrom::Current(skipped)).map_err(reading)?;
        let raw = BufReader::new(file.take(member.compressed));
        let inner: Box<dyn Read + '_> = match member.method {
            0 => Box::new(raw),
            8 => Box::new(DeflateDecoder::new(raw)),
            _ => {
                let what = "is compressed in a way that NumPy does not use; write it with scipy.sparse.save_npz";
                return Err(Error::new(ErrorKind::Format, self.path, what));
            }
        };
        Ok(Checked { reader: CrcReader::new(inner.take(member.size)), crc: member.crc })
    }
}

/// A reader that fails at its end if the checksum of what was read is wrong.
struct Checked<R> {
    reader: CrcReader<R>,
    crc: u32,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(bytes)?;
        if count == 0 && !bytes.is_empty() && self.reader.crc().sum() != self.crc {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is wrong"));
        }
        Ok(count)
    }
}

/// The bytes of the directory of an archive.
fn directory(path: &Path, file: &mut File, length: u64) -> Result<Vec<u8>, Error> {
    let reading = |error: io::Error| Error::reading(path, &error);
    // The comment at the end has at most 65,535 bytes.
    let tail = length.min(END as u64 + 0xffff);
    file.seek(SeekFrom::Start(length - tail)).map_err(reading)?;
    let mut bytes = Vec::new();
    file.take(tail).read_to_end(&mut bytes).map_err(reading)?;
    let starts = (0..(bytes.len() + 1).saturating_sub(END)).rev();
    let end = starts.map(|at| &bytes[at..]).find(|rest| rest.starts_with(b"PK\x05\x06"));
    let Some(end) = end else {
        return Err(damaged(path, "it is no zip archive, or its end is missing"));
    };
    let (size, start) = (u32_at(end, 12), u32_at(end, 16));
    if start == u32::MAX {
        let what = "is an archive of more than 4 GiB; write it in parts or as svmlight text";
        return Err(Error::new(ErrorKind::Format, path, what));
    }
    if u64::from(start) + u64::from(size) > length {
        return Err(damaged(path, "its directory is beyond its end"));
    }
    file.seek(SeekFrom::Start(start.into())).map_err(reading)?;
    let mut directory = Vec::new();
    file.take(size.into()).read_to_end(&mut directory).map_err(reading)?;
    Ok(directory)
}

/// The members that a directory lists.
fn members(path: &Path, directory: &[u8]) -> Result<Vec<Member>, Error> {
    let mut members = Vec::new();
    let mut rest = directory;
    while rest.starts_with(b"PK\x01\x02") && members.len() < MOST_MEMBERS {
        let short = || damaged(path, "its directory is cut off");
        let head = rest.get(..ENTRY).ok_or_else(short)?;
        let [name, extra, comment] = [28, 30, 32].map(|at| usize::from(u16_at(head, at)));
        if u16_at(head, 8) & 1 == 1 {
            return Err(Error::new(ErrorKind::Format, path, "is encrypted; decrypt it first"));
        }
        let after = rest.get(ENTRY..ENTRY + name + extra + comment).ok_or_else(short)?;
        let mut member = Member {
            name: after[..name].to_vec(),
            method: u16_at(head, 10),
            crc: u32_at(head, 16),
            compressed: u32_at(head, 20).into(),
            size: u32_at(head, 24).into(),
            offset: u32_at(head, 42).into(),
        };
        member.widen(&after[name..name + extra]);
        members.push(member);
        rest = &rest[ENTRY + name + extra + comment..];
    }
    Ok(members)
}

impl Member {
    /// Takes 64-bit lengths from the extra fields, where those of 32 bits are not enough.
    fn widen(&mut self, mut extra: &[u8]) {
        while let Some(head) = extra.get(..4) {
            let (kind, length) = (u16_at(head, 0), usize::from(u16_at(head, 2)));
            let Some(body) = extra.get(4..4 + length) else { return };
            if kind == 1 {
                let mut numbers = body
                    .chunks_exact(8)
                    .map(|bytes| bytes.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)));
                for field in [&mut self.size, &mut self.compressed, &mut self.offset] {
                    if *field == u64::from(u32::MAX) {
                        *field = numbers.next().unwrap_or(u64::MAX);
                    }
                }
            }
            extra = &extra[4 + length..];
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |&two| u16::from_le_bytes(two))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |&four| u32::from_le_bytes(four))
}

fn damaged(path: &Path, what: &str) -> Error {
    let what = format!("{what}; copy or download it again");
    Error::new(ErrorKind::Format, path, what)
}
