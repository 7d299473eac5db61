//! Themes: the style of each kind of thing on the screen, read from `themes/*.toml`.
//!
//! Colours are the terminal's own unless the theme sets others.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

macro_rules! scopes {
    ($($(#[$doc:meta])* $scope:ident = $name:literal,)*) => {
        /// A kind of thing on the screen, with a style of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Scope { $($(#[$doc])* $scope,)* }

        impl Scope {
            /// Every scope with its name in a theme file.
            pub const ALL: &[(Scope, &str)] = &[$((Scope::$scope, $name),)*];
        }
    };
}

scopes! {
    Text = "text",
    /// Secondary text.
    Dim = "dim",
    Title = "title",
    Brand = "brand",
    Border = "border",
    /// The border of the focused part.
    Focus = "focus",
    Key = "key",
    Selected = "selected",
    Quote = "quote",
    Cite = "cite",
    /// The focused citation.
    CiteFocus = "cite_focus",
    Warning = "warning",
    Person = "person",
    // States.
    Waiting = "waiting",
    Running = "running",
    Limited = "limited",
    NeedsYou = "needs_you",
    Done = "done",
    Partial = "partial",
    Failed = "failed",
    Cancelled = "cancelled",
    Paused = "paused",
    // Parts of the budget bar.
    Spent = "spent",
    Reserved = "reserved",
    InDoubt = "in_doubt",
    Free = "free",
    Landing = "landing",
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    styles: BTreeMap<Scope, Style>,
    pub ascii: bool,
    /// Whether nothing on the screen moves by itself.
    pub still: bool,
    /// Whether the mouse selects and scrolls.
    pub mouse: bool,
    /// The styles for a terminal that says that its background is light; None where it is not asked.
    on_light: Option<BTreeMap<Scope, Style>>,
}

#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    #[error("there is no theme `{name}`; there are: {known}")]
    Unknown { name: String, known: String },
    /// The file's name, its line if that is known, and the fault there.
    #[error("theme `{name}` cannot be used: {why}")]
    Bad { name: String, why: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    inherits: Option<Spanned<String>>,
    #[serde(default)]
    styles: BTreeMap<Spanned<String>, Look>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a style, as in { fg = \"red\", modifiers = [\"bold\"] }")]
struct Look {
    fg: Option<Colour>,
    bg: Option<Colour>,
    #[serde(default)]
    modifiers: Vec<String>,
}

/// A colour as it is written: a name, `#rrggbb`, or a number of the terminal's palette, with and without quotes.
struct Colour(String);

impl<'de> Deserialize<'de> for Colour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Colour, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = Colour;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a colour: a name as \"red\", \"#rrggbb\", or a number from 0 to 255")
            }
            fn visit_str<E>(self, name: &str) -> Result<Colour, E> {
                Ok(Colour(name.to_owned()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Colour, E> {
                Ok(Colour(number.to_string()))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

const BUILT_IN: &[(&str, &str)] = &[
    ("default", include_str!("themes/default.toml")),
    ("dark", include_str!("themes/dark.toml")),
    ("light", include_str!("themes/light.toml")),
    ("mono", include_str!("themes/mono.toml")),
    ("contrast", include_str!("themes/contrast.toml")),
    ("red-green", include_str!("themes/red-green.toml")),
    ("blue-yellow", include_str!("themes/blue-yellow.toml")),
];

impl Theme {
    /// The default theme: without colour under `NO_COLOR`, else the terminal's 16 colours.
    pub fn default_name(no_color: bool) -> &'static str {
        if no_color { "mono" } else { "default" }
    }

    /// No style at all: for text that leaves the screen.
    pub fn bare() -> Theme {
        Theme { styles: BTreeMap::new(), ascii: false, still: false, mouse: false, on_light: None }
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The theme of this name: from the person's folder, else built in.
    pub fn load(name: &str, folder: Option<&Path>) -> Result<Theme, ThemeError> {
        let mut theme = Theme::bare();
        theme.add(name, folder, 4)?;
        match Scope::ALL.iter().find(|(scope, _)| !theme.styles.contains_key(scope)) {
            Some((_, missing)) => Err(ThemeError::Bad {
                name: name.into(),
                why: format!("it has no style for `{missing}`; `inherits = \"default\"` fills what is left out"),
            }),
            None => Ok(theme),
        }
    }

    fn add(&mut self, name: &str, folder: Option<&Path>, depth: u32) -> Result<(), ThemeError> {
        let bad = |why: String| ThemeError::Bad { name: name.into(), why };
        if depth == 0 {
            return Err(bad("its chain of `inherits` is too long or goes round".into()));
        }
        let text = source(name, folder)?;
        let at = |span: Option<Range<usize>>, why: &str| match span.and_then(|span| text.get(..span.start)) {
            Some(before) => format!("line {}: {why}", before.matches('\n').count() + 1),
            None => why.to_owned(),
        };
        let file: File = toml::from_str(&text).map_err(|error| bad(at(error.span(), error.message())))?;
        if let Some(parent) = &file.inherits {
            let span = Some(parent.span());
            let parent = parent.get_ref();
            let is_built_in = BUILT_IN.iter().any(|(known, _)| known == parent);
            if parent == name && !is_built_in {
                return Err(bad("it inherits from itself".into()));
            }
            // A theme of the person's own may carry the name of the built-in one it changes.
            let parent_folder = if parent == name { None } else { folder };
            self.add(parent, parent_folder, depth - 1).map_err(|error| match error {
                ThemeError::Unknown { .. } => bad(at(span, &error.to_string())),
                error => error,
            })?;
        }
        // All faults are reported at once.
        let mut wrong = Vec::new();
        for (scope, look) in &file.styles {
            let span = Some(scope.span());
            let known = Scope::ALL.iter().find(|(_, known)| known == scope.get_ref());
            match (known, look.style()) {
                (None, _) => wrong.push((scope.span().start, at(span, &format!("`{}` is no style", scope.get_ref())))),
                (_, Err(why)) => wrong.push((scope.span().start, at(span, &why))),
                (Some((scope, _)), Ok(style)) => drop(self.styles.insert(*scope, style)),
            }
        }
        wrong.sort();
        let told: Vec<String> = wrong.into_iter().map(|(_, why)| why).collect();
        if told.is_empty() { Ok(()) } else { Err(bad(told.join("; "))) }
    }

    /// The same, with symbols and lines in ASCII.
    pub fn in_ascii(self, ascii: bool) -> Theme {
        Theme { ascii, ..self }
    }

    /// The same, with nothing that moves by itself.
    pub fn kept_still(self, still: bool) -> Theme {
        Theme { still, ..self }
    }

    /// The same, with the mouse or without it.
    pub fn with_mouse(self, mouse: bool) -> Theme {
        Theme { mouse, ..self }
    }

    /// The same; a terminal that says that its background is light gets the styles of `other`.
    pub fn unless_light(self, other: Theme) -> Theme {
        Theme { on_light: Some(other.styles), ..self }
    }

    /// Whether it depends on the terminal's background.
    pub fn asks_background(&self) -> bool {
        self.on_light.is_some()
    }

    /// Takes the styles for a light background, if there are any.
    pub fn turn_light(&mut self) {
        if let Some(styles) = self.on_light.take() {
            self.styles = styles;
        }
    }

    /// Whether a terminal of this kind (`TERM`) in this locale (the first set of `LC_ALL`, `LC_CTYPE`, `LANG`) shows ASCII only.
    pub fn needs_ascii(term: Option<&str>, locale: Option<&str>) -> bool {
        let plain_terminal = matches!(term, Some("linux" | "dumb" | "vt100" | "vt220"));
        // No locale says nothing; most terminals are UTF-8 today.
        let plain_locale = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            !locale.is_empty() && !locale.contains("utf-8") && !locale.contains("utf8")
        });
        plain_terminal || plain_locale
    }

    pub fn style(&self, scope: impl Into<Scope>) -> Style {
        self.styles.get(&scope.into()).copied().unwrap_or_default()
    }

    pub fn span(&self, text: impl Into<Cow<'static, str>>, scope: impl Into<Scope>) -> Span<'static> {
        Span::styled(text, self.style(scope))
    }

    pub fn line(&self, text: impl Into<Cow<'static, str>>, scope: impl Into<Scope>) -> Line<'static> {
        Line::styled(text, self.style(scope))
    }
}

impl Look {
    fn style(&self) -> Result<Style, String> {
        let colour = |colour: &Option<Colour>| match colour {
            None => Ok(None),
            Some(Colour(name)) => name.parse::<Color>().map(Some).map_err(|_| format!("`{name}` is no colour")),
        };
        let mut modifiers = Modifier::empty();
        for name in &self.modifiers {
            modifiers |= Modifier::from_name(&name.to_uppercase()).ok_or(format!("`{name}` is no modifier"))?;
        }
        Ok(Style { fg: colour(&self.fg)?, bg: colour(&self.bg)?, ..Style::new() }.add_modifier(modifiers))
    }
}

fn source(name: &str, folder: Option<&Path>) -> Result<String, ThemeError> {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if let (true, Some(folder)) = (plain, folder) {
        match std::fs::read(folder.join(format!("{name}.toml"))) {
            Ok(bytes) => return text::utf8(bytes).map_err(|why| ThemeError::Bad { name: name.into(), why }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(ThemeError::Bad { name: name.into(), why: error.to_string() }),
        }
    }
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
    built_in
        .map(|(_, text)| (*text).to_string())
        .ok_or_else(|| ThemeError::Unknown { name: name.into(), known: all(folder).join(", ") })
}

/// The names of all themes: the built-in ones, then those in the person's folder.
fn all(folder: Option<&Path>) -> Vec<String> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()));
    let mut own: Vec<String> = names.filter(|name| Theme::names().all(|known| known != name)).collect();
    own.sort();
    Theme::names().map(str::to_owned).chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_theme_has_a_style_for_every_scope() {
        for name in Theme::names() {
            Theme::load(name, None).unwrap();
        }
    }

    #[test]
    fn without_colour_nothing_is_coloured_but_what_is_selected_still_shows() {
        let theme = Theme::load(Theme::default_name(true), None).unwrap();
        assert!(theme.styles.values().all(|style| style.fg.is_none() && style.bg.is_none()));
        assert!(theme.style(Scope::Selected).add_modifier.contains(Modifier::REVERSED));
    }

    /// A colour as an eye sees it that lacks one kind of cones (Machado, Oliveira and Fernandes, 2009).
    fn seen(colour: Color, matrix: [[f64; 3]; 3]) -> [f64; 3] {
        let Color::Rgb(red, green, blue) = colour else { panic!("{colour:?} is the terminal's own") };
        let linear = [red, green, blue].map(|part| (f64::from(part) / 255.0).powf(2.2));
        matrix
            .map(|row| row.iter().zip(linear).map(|(factor, part)| factor * part).sum::<f64>().max(0.0).powf(1.0 / 2.2))
    }

    #[test]
    fn states_stay_apart_for_the_eyes_that_a_theme_is_for() {
        let deuteranopia =
            [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
        let tritanopia = [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ];
        for (name, matrix) in [("red-green", deuteranopia), ("blue-yellow", tritanopia)] {
            let theme = Theme::load(name, None).unwrap();
            let states = [Scope::Done, Scope::Failed, Scope::NeedsYou, Scope::Running];
            let colours = states.map(|scope| seen(theme.style(scope).fg.unwrap(), matrix));
            for (n, one) in colours.iter().enumerate() {
                for (m, other) in colours.iter().enumerate().skip(n + 1) {
                    let apart = one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(apart > 0.2, "{name}: {:?} and {:?} are {apart:.2} apart", states[n], states[m]);
                }
            }
        }
    }

    #[test]
    fn with_high_contrast_nothing_is_dim() {
        let theme = Theme::load("contrast", None).unwrap();
        assert!(theme.styles.values().all(|style| !style.add_modifier.contains(Modifier::DIM)));
        assert!(theme.styles.values().all(|style| style.fg != Some(Color::DarkGray)));
    }

    #[test]
    fn a_plain_terminal_or_locale_gets_ascii() {
        for (term, locale, ascii) in [
            (Some("xterm-256color"), Some("en_GB.UTF-8"), false),
            (Some("tmux"), None, false),
            (Some("linux"), Some("en_GB.UTF-8"), true),
            (Some("xterm"), Some("C"), true),
            (Some("xterm"), Some("C.utf8"), false),
            (Some("xterm"), Some("de_DE.ISO-8859-1"), true),
        ] {
            assert_eq!(Theme::needs_ascii(term, locale), ascii, "{term:?} {locale:?}");
        }
    }

    #[test]
    fn a_theme_of_ones_own_changes_a_built_in_one_and_mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(format!("{name}.toml")), text).unwrap();
        write("default", "inherits = \"default\"\n[styles]\ncite = { fg = \"#ff8800\" }\n");
        let theme = Theme::load("default", Some(folder.path())).unwrap();
        assert_eq!(theme.style(Scope::Cite).fg, Some(Color::Rgb(255, 136, 0)));
        write("round", "inherits = \"other\"");
        write("other", "inherits = \"round\"");
        write("wrong", "[styles]\nsky = {}\n");
        write("colour", "[styles]\ntext = { fg = \"mauvish\" }\nsea = {}\n");
        write("itself", "inherits = \"itself\"\n");
        write("number", "[styles]\ntext = { fg = 256 }\n");
        write("bare", "[styles]\n\ntext = \"red\"\n");
        write("astray", "\ninherits = \"defalt\"\n");
        write("palette", "inherits = \"default\"\n[styles]\ncite = { fg = 208, bg = \"17\" }\n");
        let cite = Theme::load("palette", Some(folder.path())).unwrap().style(Scope::Cite);
        assert_eq!((cite.fg, cite.bg), (Some(Color::Indexed(208)), Some(Color::Indexed(17))));
        for (name, says) in [
            ("round", "goes round"),
            ("wrong", "line 2: `sky` is no style"),
            ("colour", "line 2: `mauvish` is no colour; line 3: `sea` is no style"),
            ("itself", "it inherits from itself"),
            ("number", "line 2: `256` is no colour"),
            ("bare", "line 3: invalid type: string \"red\", expected a style, as in { fg = \"red\""),
            ("astray", "theme `astray` cannot be used: line 2: there is no theme `defalt`; there are: default, "),
            ("defalt", "blue-yellow, astray, bare, "),
            ("../x", "there is no theme"),
        ] {
            let error = Theme::load(name, Some(folder.path())).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
