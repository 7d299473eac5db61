//! A command as a person writes it, cut into its words as a shell cuts them: quotes and backslashes hold words together.
//! Nothing is expanded there, and no shell is asked.

/// A path in which a leading `~` is the home directory, as a shell has it. Without a home it stays as it is.
pub fn with_home(path: &str, home: Option<&str>) -> String {
    let (Some(rest), Some(home)) = (path.strip_prefix('~'), home) else { return path.to_owned() };
    match rest.is_empty() || rest.starts_with('/') {
        true => format!("{home}{rest}"),
        // The home of another user.
        false => path.to_owned(),
    }
}

/// The words of a command; none if it is blank.
///
/// # Errors
/// A quote is not closed, or the command ends in a backslash: in words for the person.
pub fn words(command: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    // An empty word in quotes is one as well.
    let mut word: Option<String> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next().ok_or("a ' is not closed")? {
                        '\'' => break,
                        letter => word.push(letter),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next().ok_or("a \" is not closed")? {
                        '"' => break,
                        // Before other letters a backslash stands for itself.
                        '\\' => match letters.next().ok_or("a \" is not closed")? {
                            letter @ ('"' | '\\' | '$' | '`') => word.push(letter),
                            letter => word.extend(['\\', letter]),
                        },
                        letter => word.push(letter),
                    }
                }
            }
            '\\' => {
                let letter = letters.next().ok_or("nothing follows the \\ at its end")?;
                word.get_or_insert_default().push(letter);
            }
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_is_the_home_at_the_beginning_of_a_path_only() {
        for (path, read) in [("~", "/h"), ("~/bin/k", "/h/bin/k"), ("~ada/k", "~ada/k"), ("a/~/k", "a/~/k"), ("k", "k")]
        {
            assert_eq!(with_home(path, Some("/h")), read);
            assert_eq!(with_home(path, None), path);
        }
    }

    #[test]
    fn a_command_is_cut_as_a_shell_cuts_it() {
        for (command, wanted) in [
            ("", &[][..]),
            ("  vi ", &["vi"]),
            ("code --wait\t-n", &["code", "--wait", "-n"]),
            ("'/opt/my editor/ed' -x", &["/opt/my editor/ed", "-x"]),
            (r#""/opt/my editor"/ed "a\"b\c""#, &["/opt/my editor/ed", r#"a"b\c"#]),
            (r"/opt/my\ editor/ed '' \'", &["/opt/my editor/ed", "", "'"]),
            ("emacs -nw '$HOME' ~ *", &["emacs", "-nw", "$HOME", "~", "*"]),
        ] {
            assert_eq!(words(command).unwrap(), wanted, "{command}");
        }
        for open in ["'vi", "\"vi", "vi \\", "\"vi\\"] {
            assert!(words(open).is_err(), "{open}");
        }
    }
}
