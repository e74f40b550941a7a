//! Passes and what they find as bytes, so that tasks of a cluster can be told and can answer.
//!
//! Numbers are little-endian, and lists begin with their length. Both ends are of one version of
//! this crate.

use super::chunk::Chunk;
use crate::{Error, ErrorKind};

/// Writes numbers, and lists of them.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(super) fn numbers(&mut self, numbers: &[u64]) -> &mut Self {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.0.extend(number.to_le_bytes()));
        self
    }

    pub(super) fn floats(&mut self, floats: &[f64]) -> &mut Self {
        self.number(floats.len() as u64);
        floats.iter().for_each(|float| self.0.extend(float.to_bits().to_le_bytes()));
        self
    }

    pub(super) fn chunk(&mut self, chunk: &Chunk) -> &mut Self {
        self.number(chunk.dims as u64).number(chunk.rows.len() as u64);
        chunk.rows.iter().for_each(|value| self.0.extend(value.to_bits().to_le_bytes()));
        self.floats(&chunk.weights).numbers(&chunk.places)
    }
}

/// Reads what a [`Writer`] has written.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn number(&mut self) -> Result<u64, Error> {
        let bytes = self.bytes(size_of::<u64>())?;
        Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| damaged())?))
    }

    /// The numbers of a list, each of which takes so many bytes.
    fn list<const SIZE: usize>(&mut self) -> Result<impl Iterator<Item = [u8; SIZE]> + 'a, Error> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let bytes = self.bytes(length.checked_mul(SIZE).ok_or_else(damaged)?)?;
        Ok(bytes.as_chunks::<SIZE>().0.iter().copied())
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<u64>, Error> {
        Ok(self.list()?.map(u64::from_le_bytes).collect())
    }

    pub(super) fn floats(&mut self) -> Result<Vec<f64>, Error> {
        Ok(self.list()?.map(|bytes| f64::from_bits(u64::from_le_bytes(bytes))).collect())
    }

    pub(super) fn chunk(&mut self) -> Result<Chunk, Error> {
        let dims = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let rows: Vec<f32> =
            self.list()?.map(|bytes| f32::from_bits(u32::from_le_bytes(bytes))).collect();
        let (weights, places) = (self.floats()?, self.numbers()?);
        let fits = dims.checked_mul(weights.len()) == Some(rows.len());
        if !fits || places.len() != weights.len() {
            return Err(damaged());
        }
        Ok(Chunk { dims, rows, weights, places })
    }

    /// Checks that all was read.
    pub(super) fn end(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged()) }
    }
}

pub(super) fn damaged() -> Error {
    let message = "what a task was told or found is damaged, or of another version of kmedian; \
                   install the same version everywhere";
    Error::new(ErrorKind::Value, message)
}
