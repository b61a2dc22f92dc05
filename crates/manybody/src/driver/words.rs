//! Formatting for messages.

use std::path::Path;

/// A path as a shell takes it, quoted where it must be: for commands that are printed to be typed.
pub fn quoted(path: &Path) -> String {
    // or it would be taken for an option
    let before = if path.as_os_str().as_encoded_bytes().first() == Some(&b'-') { "./" } else { "" };
    let text = format!("{before}{}", path.display());
    let plain = |c: char| c.is_alphanumeric() || "._-+/=@:,%".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// "1 body", "3 bodies".
pub fn bodies(n: usize) -> String {
    if n == 1 { "1 body".into() } else { format!("{n} bodies") }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn paths_are_quoted_where_they_must_be() {
        let quote = |path: &str| quoted(path.as_ref());
        assert_eq!(quote("sub/b.0001.hdf5"), "sub/b.0001.hdf5");
        assert_eq!(quote("my stars.toml"), "'my stars.toml'");
        assert_eq!(quote("Bob's.toml"), r"'Bob'\''s.toml'");
    }
}
