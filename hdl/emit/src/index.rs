//! An array index in a kernel: numbers, loop variables, `+ - * / % ( )`.

/// Its value, if it has one.
pub fn value(text: &str, loops: &[(String, u64)]) -> Option<u64> {
    let mut chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    chars.reverse();
    let value = sum(&mut chars, loops)?;
    chars.is_empty().then_some(value)?.try_into().ok()
}

fn sum(chars: &mut Vec<char>, loops: &[(String, u64)]) -> Option<i64> {
    let mut value = product(chars, loops)?;
    while let Some(&op @ ('+' | '-')) = chars.last() {
        chars.pop();
        let next = product(chars, loops)?;
        value = if op == '+' { value.checked_add(next)? } else { value.checked_sub(next)? };
    }
    Some(value)
}

fn product(chars: &mut Vec<char>, loops: &[(String, u64)]) -> Option<i64> {
    let mut value = term(chars, loops)?;
    while let Some(&op @ ('*' | '/' | '%')) = chars.last() {
        chars.pop();
        let next = term(chars, loops)?;
        value = match op {
            '*' => value.checked_mul(next)?,
            '/' => value.checked_div(next)?,
            _ => value.checked_rem(next)?,
        };
    }
    Some(value)
}

fn term(chars: &mut Vec<char>, loops: &[(String, u64)]) -> Option<i64> {
    if chars.last() == Some(&'(') {
        chars.pop();
        let value = sum(chars, loops)?;
        return (chars.pop() == Some(')')).then_some(value);
    }
    let mut word = String::new();
    while let Some(&c) = chars.last() {
        if !c.is_alphanumeric() && c != '_' {
            break;
        }
        word.push(c);
        chars.pop();
    }
    let variable = loops.iter().rev().find(|(n, _)| *n == word);
    match variable {
        Some((_, v)) => i64::try_from(*v).ok(),
        None => word.trim_end_matches("_usize").trim_end_matches("usize").parse().ok(),
    }
}
