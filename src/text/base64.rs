//! Base64 (RFC 4648).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in Base64, with the usual letters and filled up with `=`.
pub fn encode(bytes: &[u8]) -> String {
    let mut written = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for n in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * n) & 63) as usize];
            written.push(if n <= three.len() { char::from(letter) } else { '=' });
        }
    }
    written
}

/// The bytes of a text in Base64, of either alphabet, filled up or not; None if it is something else.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut bits, mut n) = (0u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        let six = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        n += 6;
        if n >= 8 {
            n -= 8;
            bytes.push(u8::try_from(bits >> n & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_are_written_and_read() {
        for (plain, written) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(encode(plain.as_bytes()), written);
            assert_eq!(decode(written).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decode("-_8"), decode("+/8="));
        assert_eq!(decode("no base64"), None);
    }
}
