//! SHA-256 (FIPS 180-4) and its written form. It computes with `ring`, which TLS brings along; it keeps no secrets.

use ring::digest::{Context, SHA256};

/// The digest of bytes that come in parts.
pub struct Sha256(Context);

impl Default for Sha256 {
    fn default() -> Sha256 {
        Sha256::new()
    }
}

impl Sha256 {
    /// The digest of no bytes, until some are added.
    pub fn new() -> Sha256 {
        Sha256(Context::new(&SHA256))
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.update(bytes.as_ref());
    }

    /// The digest of all that was added.
    pub fn finalize(self) -> [u8; 32] {
        let mut digest = [0; 32];
        digest.copy_from_slice(self.0.finish().as_ref());
        digest
    }

    /// The digest of these bytes.
    pub fn digest(bytes: impl AsRef<[u8]>) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(bytes);
        hash.finalize()
    }
}

/// Bytes in small hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&Sha256::digest("abc")), abc);
        let mut parts = Sha256::new();
        parts.update("a");
        parts.update("bc");
        assert_eq!(hex(&parts.finalize()), abc);
        assert!(hex(&Sha256::new().finalize()).starts_with("e3b0c44298fc1c14"));
    }
}
