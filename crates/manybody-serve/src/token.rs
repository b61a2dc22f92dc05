//! The token in the address: who has it may look on.

use manybody::{Error, Result};

/// 128 random bits.
#[derive(Clone, Debug)]
pub(crate) struct Token(String);

impl Token {
    /// A new one, from the system's random numbers.
    ///
    /// # Errors
    /// [`Error::Device`] where the system has no random numbers.
    pub(crate) fn new() -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::Device { device: "random", problem: format!("no random numbers: {error}") })?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether the query of an address, `a=b&token=...`, has the token. Takes the same time for every wrong one.
    pub(crate) fn is_in(&self, query: Option<&str>) -> bool {
        let given = query.and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("token=")));
        given.is_some_and(|given| {
            let differ = |found: u8, (a, b): (u8, u8)| found | (a ^ b);
            given.len() == self.0.len() && given.bytes().zip(self.0.bytes()).fold(0, differ) == 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_random_and_found_in_a_query() {
        let token = Token::new().unwrap();
        assert_ne!(token.text(), Token::new().unwrap().text());
        assert_eq!(token.text().len(), 32);
        assert!(token.is_in(Some(&format!("token={}", token.text()))));
        assert!(token.is_in(Some(&format!("a=b&token={}", token.text()))));
        for query in [None, Some(""), Some("token="), Some("token=0123"), Some(&"token=0".repeat(32))] {
            assert!(!token.is_in(query), "{query:?}");
        }
    }
}
