//! The password file of PostgreSQL's own programs: <https://www.postgresql.org/docs/current/libpq-pgpass.html>.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The password for a connection; None if the file has none for it, is not there, or can be read by others.
pub(super) fn find(file: &Path, host: &str, port: u16, database: &str, user: &str) -> Option<String> {
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let port = port.to_string();
    let is_socket = host.starts_with('/');
    std::fs::read_to_string(file).ok()?.lines().find_map(|line| {
        let [of_host, of_port, of_database, of_user, password] = &fields(line)[..] else { return None };
        let fits = |pattern: &str, value: &str| pattern == "*" || pattern == value;
        let is_host = fits(of_host, host) || (is_socket && of_host == "localhost");
        let is_this = is_host && fits(of_port, &port) && fits(of_database, database) && fits(of_user, user);
        is_this.then(|| password.clone())
    })
}

/// The five fields of a line, of which the last may have colons of its own.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    if line.starts_with('#') {
        return fields;
    }
    let mut left = line.chars();
    while let Some(c) = left.next() {
        let last = fields.len();
        let field = &mut fields[last - 1];
        match c {
            '\\' => field.extend(left.next()),
            ':' if last < 5 => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};

    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password_and_a_file_that_others_can_read_has_none() {
        let folder = std::env::temp_dir().join(format!("masthead-passfile-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("pgpass");
        write(&file, "# db:*:*:*:no\nother:*:*:*:no\ndb:5432:ru\\:ns:ada:a\\\\b:c\n*:*:*:eve:any\n").unwrap();
        set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(find(&file, "db", 5432, "ru:ns", "ada").as_deref(), Some("a\\b:c"));
        assert_eq!(find(&file, "/tmp", 1, "x", "eve").as_deref(), Some("any"));
        assert_eq!(find(&file, "db", 5433, "ru:ns", "ada"), None);
        set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(find(&file, "db", 5432, "ru:ns", "ada"), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
