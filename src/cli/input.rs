//! Reads the answers of the person from standard input, as lines that may hold any bytes.

use std::io::{self, BufRead};

use super::exit::Failure;

/// The next line; None at the end of the input. Bytes that are not UTF-8, as of a terminal in another encoding, become U+FFFD.
///
/// # Errors
/// The input cannot be read.
pub fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = from.read_until(b'\n', &mut line)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// The next line of standard input, trimmed; None at its end.
///
/// # Errors
/// It cannot be read.
pub fn answer() -> Result<Option<String>, Failure> {
    let line = line(&mut io::stdin().lock());
    let line = line.map_err(|error| Failure::Other(format!("standard input could not be read: {error}")))?;
    Ok(line.map(|line| line.trim().to_owned()))
}
