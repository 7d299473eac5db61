//! The characters that LaTeX has names for.

/// The characters that a command stands for.
pub(super) fn named(name: &str) -> Option<&'static str> {
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, shown)| *shown)
}

const NAMED: [(&str, &str); 75] = [
    ("%", "%"),
    ("&", "&"),
    ("_", "_"),
    ("#", "#"),
    ("$", "$"),
    ("{", "{"),
    ("}", "}"),
    (" ", " "),
    ("\n", " "),
    (",", " "),
    (";", " "),
    (":", " "),
    ("!", ""),
    ("-", ""),
    ("/", ""),
    ("@", ""),
    ("quad", " "),
    ("qquad", " "),
    ("ldots", "\u{2026}"),
    ("dots", "\u{2026}"),
    ("cdots", "\u{2026}"),
    ("textbackslash", "\\"),
    ("textasciitilde", "~"),
    ("textunderscore", "_"),
    ("textbar", "|"),
    ("textgreater", ">"),
    ("textless", "<"),
    ("textendash", "\u{2013}"),
    ("textemdash", "\u{2014}"),
    ("textquoteright", "\u{2019}"),
    ("textdegree", "\u{b0}"),
    ("textregistered", "\u{ae}"),
    ("texttrademark", "\u{2122}"),
    ("copyright", "\u{a9}"),
    ("pounds", "\u{a3}"),
    ("euro", "\u{20ac}"),
    ("S", "\u{a7}"),
    ("ss", "\u{df}"),
    ("o", "\u{f8}"),
    ("O", "\u{d8}"),
    ("aa", "\u{e5}"),
    ("AA", "\u{c5}"),
    ("ae", "\u{e6}"),
    ("AE", "\u{c6}"),
    ("oe", "\u{153}"),
    ("l", "\u{142}"),
    ("i", "i"),
    ("TeX", "TeX"),
    ("LaTeX", "LaTeX"),
    ("times", "\u{d7}"),
    ("cdot", "\u{b7}"),
    ("pm", "\u{b1}"),
    ("leq", "\u{2264}"),
    ("le", "\u{2264}"),
    ("geq", "\u{2265}"),
    ("ge", "\u{2265}"),
    ("neq", "\u{2260}"),
    ("ne", "\u{2260}"),
    ("approx", "\u{2248}"),
    ("infty", "\u{221e}"),
    ("sum", "\u{2211}"),
    ("in", "\u{2208}"),
    ("to", "\u{2192}"),
    ("rightarrow", "\u{2192}"),
    ("alpha", "\u{3b1}"),
    ("beta", "\u{3b2}"),
    ("gamma", "\u{3b3}"),
    ("delta", "\u{3b4}"),
    ("epsilon", "\u{3b5}"),
    ("theta", "\u{3b8}"),
    ("lambda", "\u{3bb}"),
    ("mu", "\u{3bc}"),
    ("pi", "\u{3c0}"),
    ("sigma", "\u{3c3}"),
    ("omega", "\u{3c9}"),
];

/// Accents, the letters that take them, and both as one character.
const ACCENTED: [(char, &str, &str); 6] = [
    ('\'', "aeiouycnszAEIOUCNSZ", "áéíóúýćńśźÁÉÍÓÚĆŃŚŹ"),
    ('`', "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
    ('^', "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
    ('"', "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
    ('~', "anoANO", "ãñõÃÑÕ"),
    ('c', "cCsS", "çÇşŞ"),
];

pub(super) fn is_accent(name: char) -> bool {
    ACCENTED.iter().any(|(accent, ..)| *accent == name)
}

/// A letter with an accent, or the letter alone.
pub(super) fn accented(accent: char, letter: char) -> char {
    let row = ACCENTED.iter().find(|(known, ..)| *known == accent);
    let both =
        row.and_then(|(_, letters, composed)| letters.chars().zip(composed.chars()).find(|(own, _)| *own == letter));
    both.map_or(letter, |(_, composed)| composed)
}
