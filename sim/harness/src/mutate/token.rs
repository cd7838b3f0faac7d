//! Tokens of a Verilog text.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    Number,
    Symbol,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub at: usize,
}

const SYMBOLS: [&str; 17] = [
    "<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "~&", "~|", "~^",
    "+:", "-:",
];

/// Splits into tokens; comments, attributes, strings, directives and what is not for synthesis
/// are left out.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let skip_to = |end: &str, from: usize| {
            rest[from..].find(end).map_or(rest.len(), |found| from + found + end.len())
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let word_len = |s: &str| s.find(|c| !is_word(c)).unwrap_or(s.len());
        let (len, kind) = match first {
            _ if rest.starts_with("`ifndef SYNTHESIS") => (skip_to("`endif", 0), None),
            _ if rest.starts_with("//") || first == '`' => (skip_to("\n", 0), None),
            _ if rest.starts_with("/*") => (skip_to("*/", 2), None),
            _ if rest.starts_with("(*") && !rest.starts_with("(*)") => (skip_to("*)", 2), None),
            '"' => (skip_to("\"", 1), None),
            '0'..='9' => {
                let digits = word_len(rest);
                let has_base = rest[digits..].starts_with('\'');
                let base = if has_base { 1 + word_len(&rest[digits + 1..]) } else { 0 };
                (digits + base, Some(TokenKind::Number))
            }
            c if is_word(c) => (word_len(rest), Some(TokenKind::Word)),
            c if c.is_whitespace() => (c.len_utf8(), None),
            c => {
                let symbol = SYMBOLS.iter().find(|s| rest.starts_with(**s));
                (symbol.map_or(c.len_utf8(), |s| s.len()), Some(TokenKind::Symbol))
            }
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, text: &rest[..len], at });
        }
        at += len;
    }
    tokens
}
