//! A hash that is the same on every machine and in every version of the program.

/// The usual seed of [`hash`].
pub const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over bytes. `seed` is [`SEED`], or the hash of the bytes before them. It makes names, and hides nothing.
pub fn hash(seed: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_hash_of_its_authors() {
        for (text, expected) in [("", SEED), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(hash(SEED, text.bytes()), expected, "{text}");
        }
        assert_eq!(hash(hash(SEED, "foo".bytes()), "bar".bytes()), hash(SEED, "foobar".bytes()));
    }
}
