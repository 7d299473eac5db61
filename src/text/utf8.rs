//! Text that a person wrote with an editor of their own.

/// The bytes of such a file as text, without a byte order mark.
///
/// # Errors
/// They are no UTF-8: their kind, or the line of the fault; in words for the person.
pub fn utf8(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("it is UTF-16: save it as UTF-8".into());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = valid.filter(|byte| **byte == b'\n').count() + 1;
        format!("line {line} is no UTF-8: save the file as UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_text_and_other_encodings_are_told_with_their_line() {
        for (bytes, read) in [
            (&b"a = 1\n"[..], Ok("a = 1\n")),
            (b"\xef\xbb\xbfa = 1\n", Ok("a = 1\n")),
            (b"a = 1\nb = \"caf\xe9\"\n", Err("line 2 is no UTF-8: save the file as UTF-8")),
            (b"\xff\xfea\0", Err("it is UTF-16: save it as UTF-8")),
        ] {
            assert_eq!(utf8(bytes.to_vec()).as_deref().map_err(String::as_str), read);
        }
    }
}
