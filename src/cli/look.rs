//! The look of the screens: the settings in force from arguments, environment and config.toml, and their theme.

use super::args::{Look, Shade};
use super::exit::Failure;
use super::keymap;
use super::place::Places;
use config::{Background, Screen};
use tui::Theme;

/// Reads a variable of the environment; None if it is not set, or empty.
type Var<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The colours of the screens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Colours {
    /// The theme of this name.
    Named(String),
    /// The default theme, or the light one where the terminal says that its background is light.
    AsTheTerminal,
}

/// The settings of the screens that are in force, each with its origin.
#[derive(Debug, PartialEq, Eq)]
pub struct InForce {
    pub colours: (Colours, &'static str),
    /// The background; None where the terminal is asked.
    pub background: (Option<Shade>, &'static str),
    pub mouse: (bool, &'static str),
    /// Whether marks of work move on the screen.
    pub motion: (bool, &'static str),
}

/// The name of the file with settings, as the place where one comes from.
pub const OF_FILE: &str = "config.toml";
/// The place where a setting comes from that nobody has set.
pub const DEFAULT: &str = "default";

impl InForce {
    pub fn of(look: &Look, screen: &Screen, var: Var<'_>) -> InForce {
        let no_color = var("NO_COLOR").is_some();
        // Arguments are read from the environment, too.
        let given = |flag, variable, says: &dyn Fn(&str) -> bool| {
            if var(variable).is_some_and(|value| says(&value)) { variable } else { flag }
        };
        let of_file = |background| if background == Background::Light { Shade::Light } else { Shade::Dark };
        let word = |shade| if shade == Shade::Light { "light" } else { "dark" };
        let background = match (look.background, screen.background) {
            (Some(shade), _) => {
                (Some(shade), given("--background", "MASTHEAD_BACKGROUND", &|value| value == word(shade)))
            }
            (None, Some(set)) => (Some(of_file(set)), OF_FILE),
            (None, None) => (None, DEFAULT),
        };
        // Colours for paper need 24 bits.
        let has_24_bits = matches!(var("COLORTERM").as_deref(), Some("truecolor" | "24bit"));
        let named = |name: &str| Colours::Named(name.into());
        let colours = match (&look.theme, &screen.theme, background) {
            (Some(name), ..) => (named(name), given("--theme", "MASTHEAD_THEME", &|value| value == name)),
            (None, Some(name), _) => (named(name), OF_FILE),
            (None, None, _) if no_color => (named(Theme::default_name(true)), "NO_COLOR"),
            (None, None, (Some(Shade::Light), from)) => (named("light"), from),
            (None, None, (None, from)) if has_24_bits => (Colours::AsTheTerminal, from),
            (None, None, (_, from)) => (named(Theme::default_name(false)), from),
        };
        let mouse = match (look.no_mouse, screen.mouse) {
            (true, _) => (false, given("--no-mouse", "MASTHEAD_NO_MOUSE", &|_| true)),
            (false, Some(set)) => (set, OF_FILE),
            (false, None) => (true, DEFAULT),
        };
        let motion = match (look.no_motion, no_color) {
            (true, _) => (false, given("--no-motion", "MASTHEAD_NO_MOTION", &|_| true)),
            (false, true) => (false, "NO_COLOR"),
            (false, false) => (true, DEFAULT),
        };
        InForce { colours, background, mouse, motion }
    }
}

/// A variable of this process; None if it is not set, or empty.
pub fn var(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}

/// The theme of the screens. The person's own keys are put in force with it.
pub fn theme(places: &Places, look: &Look) -> Result<Theme, Failure> {
    if let Some(keymap) = keymap::read(places)? {
        keymap.install();
    }
    let screen = config::load(&places.config).map_err(Failure::usage)?.screen;
    let InForce { colours, mouse, motion, .. } = InForce::of(look, &screen, &var);
    let themes = places.config.join("themes");
    let load = |name: &str| Theme::load(name, Some(&themes)).map_err(Failure::usage);
    let theme = match colours {
        (Colours::Named(name), from) => load(&name).map_err(|why| match from {
            "MASTHEAD_THEME" => Failure::Usage(format!("MASTHEAD_THEME: {why}")),
            OF_FILE if screen.theme.is_some() => Failure::Usage(format!("`theme` in [screen] of config.toml: {why}")),
            _ => why,
        })?,
        (Colours::AsTheTerminal, _) => load(Theme::default_name(false))?.unless_light(load("light")?),
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(var);
    let ascii = Theme::needs_ascii(var("TERM").as_deref(), locale.as_deref());
    Ok(theme.in_ascii(ascii).kept_still(!motion.0).with_mouse(mouse.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Colours {
        Colours::Named(name.into())
    }

    #[test]
    fn the_nearest_setting_decides_the_colours() {
        use Shade::{Dark, Light};
        let table = [
            (None, None, None, &[][..], (named("default"), DEFAULT)),
            (None, None, None, &["COLORTERM=truecolor"], (Colours::AsTheTerminal, DEFAULT)),
            (None, None, Some(Background::Light), &["COLORTERM=truecolor"], (named("light"), OF_FILE)),
            (None, Some(Light), None, &[], (named("light"), "--background")),
            (None, Some(Dark), Some(Background::Light), &[], (named("default"), "--background")),
            (None, Some(Light), None, &["NO_COLOR=1"], (named("mono"), "NO_COLOR")),
            (Some("mono"), Some(Light), None, &["NO_COLOR=1"], (named("mono"), "--theme")),
            (Some("dark"), None, None, &["MASTHEAD_THEME=dark"], (named("dark"), "MASTHEAD_THEME")),
            (Some("dark"), None, None, &["MASTHEAD_THEME=mono"], (named("dark"), "--theme")),
            (None, Some(Light), None, &["MASTHEAD_BACKGROUND=light"], (named("light"), "MASTHEAD_BACKGROUND")),
        ];
        for (theme, background, of_file, set, colours) in table {
            let look = Look { theme: theme.map(str::to_owned), no_motion: false, no_mouse: false, background };
            let screen = Screen { background: of_file, ..Screen::default() };
            let var = |name: &str| {
                let pairs = set.iter().filter_map(|one: &&str| one.split_once('='));
                pairs.filter(|(of, _)| *of == name).map(|(_, value)| value.to_owned()).next()
            };
            assert_eq!(InForce::of(&look, &screen, &var).colours, colours, "{look:?} {set:?}");
        }
        let look = Look { theme: None, no_motion: true, no_mouse: false, background: None };
        let screen =
            Screen { theme: Some("contrast".into()), background: Some(Background::Light), ..Screen::default() };
        let in_force = InForce::of(&look, &screen, &|name| (name == "MASTHEAD_NO_MOTION").then(|| "1".into()));
        assert_eq!(in_force.colours, (named("contrast"), OF_FILE));
        assert_eq!(in_force.motion, (false, "MASTHEAD_NO_MOTION"));
    }
}
