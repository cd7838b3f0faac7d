//! Random initial values by name. Verilator draws them one after the other, in the order of its
//! variables, and a build with waveforms or a changed netlist has other variables: every value would
//! be another one. So each draw in the generated C++ gets the name of what it is for, and becomes a
//! function of seed and name (cpp/draw.h).

use std::borrow::Cow;

const DRAW: &str = "VL_RAND_RESET_";

/// The C++ with a name at each draw, if there is one.
pub(super) fn named(text: &str) -> Cow<'_, str> {
    if !text.contains(DRAW) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    while let Some(at) = rest.find(DRAW) {
        let (before, call) = rest.split_at(at);
        // `I(bits)`, `Q(bits)` or `W(bits, words)`.
        let Some((kind, arguments)) = call[DRAW.len()..].split_once('(') else { break };
        let statement = &before[before.rfind([';', '{', '}']).map_or(0, |end| end + 1)..];
        // What the value is assigned to, or what is filled.
        let assigned = statement.rsplit_once(MEMBER).map(|(_, target)| target);
        let (name, index) = name_and_index(assigned.unwrap_or_else(|| filled(arguments)));
        result += before;
        result += &format!("nic_draw_{kind}(vlSelf->name(), \"{name}\", {index}, ");
        rest = arguments;
    }
    Cow::Owned(result + rest)
}

/// How the generated code names a variable of its module.
const MEMBER: &str = "vlSelf->";

/// The second argument.
fn filled(arguments: &str) -> &str {
    let words = arguments.split_once(", ").map_or("", |(_, words)| words);
    words.strip_prefix(MEMBER).unwrap_or(words)
}

/// A variable's name, and its word as an expression in C++.
fn name_and_index(target: &str) -> (&str, String) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = target.find(|c| !is_name(c)).unwrap_or(target.len());
    let (name, mut rest) = target.split_at(end);
    let mut index = String::from("0");
    while let Some((word, behind)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
        index = if index == "0" { word.into() } else { format!("(({index}) << 20) + {word}") };
        rest = behind;
    }
    (name, index)
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn draws_get_the_names_of_their_variables() {
        let text =
            "    vlSelf->a__DOT__b = VL_RAND_RESET_I(7);\n    VL_RAND_RESET_W(72, vlSelf->c);
            for (;;) { vlSelf->m[i] = VL_RAND_RESET_Q(36); }
            vlSelf->x \n = (0x1fU & VL_RAND_RESET_I(5)); VL_RAND_RESET_W(191, __Vtemp);
            VL_RAND_RESET_W(72, vlSelf->n[i][j]);";
        let expected = "    vlSelf->a__DOT__b = nic_draw_I(vlSelf->name(), \"a__DOT__b\", 0, 7);
    nic_draw_W(vlSelf->name(), \"c\", 0, 72, vlSelf->c);
            for (;;) { vlSelf->m[i] = nic_draw_Q(vlSelf->name(), \"m\", i, 36); }
            vlSelf->x \n = (0x1fU & nic_draw_I(vlSelf->name(), \"x\", 0, 5)); \
             nic_draw_W(vlSelf->name(), \"__Vtemp\", 0, 191, __Vtemp);
            nic_draw_W(vlSelf->name(), \"n\", ((i) << 20) + j, 72, vlSelf->n[i][j]);";
        assert_eq!(named(text), expected);
    }
}
