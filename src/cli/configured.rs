//! `masthead config`: each setting with its value and origin; the faults; a file to begin with.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::args::{Look, Shade, Thinking};
use super::doctor;
use super::exit::{self, Failure};
use super::inspect::print;
use super::keymap;
use super::look::{self, Colours, DEFAULT, InForce, OF_FILE};
use super::memory;
use super::models::{self, Setting};
use super::output::{Output, shown};
use super::place::Places;
use super::without_passwords;
use config::{Assigned, Config, InDoubt, Provider, UnknownPrice};
use run::Role;
use text::Clean;

/// The text that `--write` writes: every setting, commented out, with its default; where it has none that could stand there, with
/// an example, which is said. JOURNAL and NOTES stand for the default paths.
const BEGINNING: &str = "\
# Settings of masthead. Nothing here is in force while it is commented out. A line has the default, or says that it is an example.

# journal = JOURNAL          # a file, or postgres://USER@HOST/DATABASE for a journal of several machines

# max_cost = \"1.00\"          # dollars per run, where models cost anything
# in_doubt = \"ask\"           # a call that was sent but whose outcome is unknown: ask, retry or skip
# unknown_price = \"refuse\"   # a model without a known price: refuse, or dearest for the dearest of its provider

# [models]                   # example: by role, or default for all; without any, models whose keys are in the environment
# default = \"anthropic\"
# writer = { model = \"anthropic/claude-sonnet-5-5\", max_tokens = 6000, effort = \"high\", thinking_tokens = 8000 }

# [providers.mine]           # example: any server that speaks the format of a built-in provider
# like = \"openai-compatible\"
# base_url = \"https://models.example.org/v1\"
# api_key_env = \"MY_KEY\"     # or api_key_cmd = [\"pass\", \"show\", \"models\"]
# headers = { X-Team = \"a\" } # further headers of each request; by default none
# slots = 4                  # how many requests it takes at the same time; by default as many as it says or has
# free = false               # whether it costs nothing; by default true for a local kind of server
# insecure = false           # true: its key may be sent unencrypted within your own network

# [memory]
# file = NOTES               # the notes across runs
# off = false

# [notify]
# command = []               # as in [\"notify-send\"]: started with a message when a run needs you or comes near a cap

# [screen]
# mouse = true               # selects and scrolls; false leaves it to the terminal
# theme = \"dark\"             # example: a built-in theme or one of yours; by default as background says
# background = \"dark\"        # example: or light; by default the terminal is asked
";

/// The text that `--write` writes, with the default paths of these folders.
fn beginning(places: &Places) -> String {
    // A string of JSON is one of TOML, too.
    let quoted = |path: &Path| serde_json::Value::from(path.to_string_lossy()).to_string();
    let journal = quoted(&journal::path(&places.data));
    BEGINNING
        .replace("JOURNAL ", &format!("{journal} "))
        .replace("NOTES ", &format!("{} ", quoted(&memory::usual(places))))
}

/// A setting, as it is in force.
struct Set {
    name: String,
    value: String,
    from: &'static str,
}

pub fn config(places: &Places, asked: &Look, write: bool) -> Result<u8, Failure> {
    let path = config::path(&places.config);
    if write {
        if path.exists() {
            return Err(Failure::Usage(format!("{} is there already: it is left as it is", shown(&path))));
        }
        std::fs::create_dir_all(&places.config)
            .map_err(|error| Failure::NotWritten(format!("{} cannot be made: {error}", shown(&places.config))))?;
        Output::open(&path)?.write(&beginning(places))?;
        exit::say(&format!("{} has every setting, commented out: it changes nothing as it is", shown(&path)));
        return Ok(exit::DONE);
    }
    // Faults, also in a theme, are said with their lines, and ends the command with the code for usage.
    look::theme(places, asked)?;
    let set = config::load(&places.config).map_err(Failure::usage)?;
    let there = if path.exists() { "" } else { " (not there: masthead config --write makes one)" };
    let mut text = format!("{}{there}\n\n", shown(&path));
    let mut all = settings(places, asked, &set);
    let own = keymap::path(places).exists();
    let from = if own { "keymap.toml" } else { DEFAULT };
    all.push(Set { name: "keys".into(), value: keymap::in_a_line(places)?, from });
    let wide = |of: fn(&Set) -> &str| all.iter().map(|one| of(one).chars().count()).max().unwrap_or(0);
    let (names, values) = (wide(|one| &one.name), wide(|one| &one.value).min(60));
    for Set { name, value, from } in &all {
        let _ = writeln!(text, "{name:<names$}  {:<values$}  {from}", Clean::line(value));
    }
    let code = print(text.as_bytes())?;
    let problems = problems(places);
    problems.iter().for_each(|problem| exit::say(&Clean::line(problem)));
    Ok(if problems.is_empty() { code } else { exit::FAILED })
}

/// The settings that would stop a run with models, in words. No server is asked.
fn problems(places: &Places) -> Vec<String> {
    let thinking = Thinking::default();
    let found = Setting::read(places, &thinking).and_then(|setting| {
        let team = team::load(&places.config, team::BRIEF).map_err(Failure::usage)?;
        let prompts = models::prompts(places, team::BRIEF, &team, &thinking.agents)?;
        let wrong = setting.choose(&thinking, &models::prompted(&team, &prompts.of)).err();
        Ok(doctor::problems(&setting, wrong))
    });
    found.unwrap_or_else(|failure| vec![failure.to_string()])
}

/// The settings as they are listed.
struct Listed(Vec<Set>);

impl Listed {
    fn add(&mut self, name: &str, value: impl Into<String>, from: &'static str) {
        self.0.push(Set { name: name.to_owned(), value: value.into(), from });
    }

    /// The keys of a table of the file that are set there.
    fn add_keys<const N: usize>(&mut self, table: &str, keys: [(&str, Option<String>); N]) {
        for (key, value) in keys {
            value.into_iter().for_each(|value| self.add(&format!("{table}.{key}"), value, OF_FILE));
        }
    }

    fn add_models(&mut self, models: &BTreeMap<Role, Assigned>) {
        for (role, Assigned { model, max_tokens, thinking }) in models {
            let name = format!("models.{}", role.as_str());
            self.add(&name, model.to_string(), OF_FILE);
            let set = [
                ("max_tokens", max_tokens.map(|n| n.to_string())),
                ("effort", thinking.effort.map(|effort| effort.to_string())),
                ("thinking_tokens", thinking.limit.map(|n| n.to_string())),
            ];
            self.add_keys(&name, set);
        }
        if models.is_empty() {
            self.add("models", "those whose keys are in the environment; masthead doctor lists them", DEFAULT);
        }
    }

    fn add_provider(&mut self, name: &str, provider: &Provider) {
        let key = match (&provider.api_key_env, &provider.api_key_cmd) {
            (Some(variable), _) => format!("key in {variable}"),
            // Its arguments may say more than a list should.
            (_, Some(command)) => format!("key from {}", command.first().map_or("", String::as_str)),
            _ => "key where its kind has it".into(),
        };
        let address = provider.base_url.as_deref().map_or("its usual address".into(), without_passwords);
        let name = format!("providers.{name}");
        self.add(&name, format!("{address}, {key}"), OF_FILE);
        // The values of headers are secret.
        let headers: Vec<&str> = provider.headers.keys().map(String::as_str).collect();
        let set = [
            ("like", provider.like.clone()),
            ("headers", (!headers.is_empty()).then(|| headers.join(", "))),
            ("slots", provider.slots.map(|slots| slots.to_string())),
            ("free", provider.free.map(|free| free.to_string())),
            ("insecure", provider.insecure.then(|| "true".to_owned())),
        ];
        self.add_keys(&name, set);
    }

    fn add_look(&mut self, look: InForce) {
        let theme = match look.colours.0 {
            Colours::Named(name) => name,
            Colours::AsTheTerminal => "default, or light where the terminal is light".into(),
        };
        self.add("screen.theme", theme, look.colours.1);
        self.add("screen.mouse", look.mouse.0.to_string(), look.mouse.1);
        let shade = match look.background.0 {
            Some(Shade::Light) => "light",
            Some(Shade::Dark) => "dark",
            None => "the terminal is asked",
        };
        self.add("screen.background", shade, look.background.1);
        self.add("motion", look.motion.0.to_string(), look.motion.1);
    }
}

fn settings(places: &Places, asked: &Look, set: &Config) -> Vec<Set> {
    let Config { journal: _, in_doubt, unknown_price, max_cost, models, providers, memory, notify, screen } = set;
    let mut all = Listed(Vec::new());
    let from = |is_set: bool| if is_set { OF_FILE } else { DEFAULT };
    all.add("data", shown(&places.data).to_string(), places.data_from);
    all.add("journal", places.journal().place(), places.journal_from);
    all.add("max_cost", max_cost.unwrap_or(models::DEFAULT_CAP).to_string(), from(max_cost.is_some()));
    let doubt = match in_doubt {
        None | Some(InDoubt::Ask) => "ask",
        Some(InDoubt::Retry) => "retry",
        Some(InDoubt::Skip) => "skip",
    };
    all.add("in_doubt", doubt, from(in_doubt.is_some()));
    let price = match unknown_price.unwrap_or_default() {
        UnknownPrice::Refuse => "refuse",
        UnknownPrice::Dearest => "dearest",
    };
    all.add("unknown_price", price, from(unknown_price.is_some()));
    all.add_models(models);
    for (name, provider) in providers {
        all.add_provider(name, provider);
    }
    let notes = memory.file.as_deref().map_or("notes in the data directory".into(), |file| shown(file).to_string());
    all.add("memory.file", notes, from(memory.file.is_some()));
    all.add("memory.off", memory.off.unwrap_or(false).to_string(), from(memory.off.is_some()));
    all.add_look(InForce::of(asked, screen, &look::var));
    let command = notify.command.first().map_or("none", String::as_str);
    all.add("notify.command", command, from(!notify.command.is_empty()));
    all.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(dir: &Path) -> Places {
        Places::find(Some(&dir.join("data")), Some(&dir.join("j.db").to_string_lossy())).unwrap()
    }

    #[test]
    fn what_is_written_to_begin_with_changes_nothing_and_uncommented_has_the_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let (file, places) = (config::path(dir.path()), places(dir.path()));
        let beginning = beginning(&places);
        std::fs::write(&file, &beginning).unwrap();
        assert_eq!(config::load(dir.path()).unwrap(), Config::default());
        let read = |lines: &[&str]| {
            std::fs::write(&file, lines.join("\n")).unwrap();
            config::load(dir.path()).unwrap()
        };
        let uncommented: Vec<&str> =
            beginning.lines().skip(1).map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
        let set = read(&uncommented);
        assert_eq!((set.models.len(), set.providers.len()), (2, 1));
        // Below a table that is an example all lines are.
        let mut is_of_example = false;
        let defaults = uncommented.into_iter().filter(|line| {
            let is_example = line.contains("# example: ");
            if line.starts_with('[') {
                is_of_example = is_example;
            }
            !is_of_example && !is_example
        });
        let set = read(&defaults.collect::<Vec<_>>());
        let data = dir.path().join("data");
        let all = Config {
            journal: Some(journal::path(&data).to_string_lossy().into_owned()),
            in_doubt: Some(InDoubt::Ask),
            unknown_price: Some(UnknownPrice::default()),
            max_cost: Some(models::DEFAULT_CAP),
            memory: config::Memory { file: Some(memory::usual(&places)), off: Some(false) },
            screen: config::Screen { mouse: Some(true), ..config::Screen::default() },
            ..Config::default()
        };
        assert_eq!(set, all);
    }

    #[test]
    fn every_setting_of_a_file_is_shown_as_set_there() {
        let dir = tempfile::tempdir().unwrap();
        let places = places(dir.path());
        let text = "unknown_price = \"refuse\"\n[memory]\noff = false\n[models.writer]\nmodel = \"a/b\"\nmax_tokens = 900\n\
                    effort = \"low\"\nthinking_tokens = 700\n[providers.mine]\nlike = \"openai\"\nslots = 4\nfree = true\n\
                    insecure = true\nheaders = { X-Team = \"canary\" }\n[screen]\ntheme = \"light\"\nmouse = false\nbackground = \"light\"\n";
        std::fs::write(config::path(dir.path()), text).unwrap();
        let look = Look { theme: None, no_motion: false, no_mouse: false, background: None };
        let all = settings(&places, &look, &config::load(dir.path()).unwrap());
        let of = |name: &str| all.iter().find(|set| set.name == name).map(|set| (set.value.as_str(), set.from));
        for (name, value) in [
            ("unknown_price", "refuse"),
            ("memory.off", "false"),
            ("models.writer", "a/b"),
            ("models.writer.max_tokens", "900"),
            ("models.writer.effort", "low"),
            ("models.writer.thinking_tokens", "700"),
            ("providers.mine.like", "openai"),
            ("providers.mine.headers", "X-Team"),
            ("providers.mine.slots", "4"),
            ("providers.mine.free", "true"),
            ("providers.mine.insecure", "true"),
            ("screen.theme", "light"),
            ("screen.mouse", "false"),
            ("screen.background", "light"),
        ] {
            assert_eq!(of(name), Some((value, OF_FILE)), "{name}");
        }
    }
}
