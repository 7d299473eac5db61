//! Keeps the token densities that runs learn of models, for later runs.
//!
//! A small file in the data folder. Nothing depends on it: without it, or where it cannot be read, every model begins anew with
//! a token a byte. Of two runs that end at the same time, the later one counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use run::density::Density;
use run::model::ModelId;
use serde::Deserialize;

/// The name of the file.
pub const FILE: &str = "learnt.toml";
/// The most models that are kept; a person has some dozens.
const MOST: usize = 2_000;

/// The numbers of each model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    models: BTreeMap<ModelId, Density>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    models: BTreeMap<String, Density>,
}

impl Learnt {
    /// Reads the file of a data folder; empty where there is none, or none that can be used.
    pub fn load(data: &Path) -> Learnt {
        let path = data.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Learnt::default(),
            Err(error) => {
                tracing::warn!(%error, "what was learnt of models cannot be read");
                return Learnt::default();
            }
        };
        Learnt::read(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, "what was learnt of models cannot be used");
            Learnt::default()
        })
    }

    /// Numbers that cannot be are left out, and nothing else is.
    fn read(text: &str) -> Result<Learnt, toml::de::Error> {
        let file: File = toml::from_str(text)?;
        let sound = file.models.into_iter().filter(|(_, density)| density.is_sound());
        let models = sound.filter_map(|(name, density)| Some((name.parse().ok()?, density))).take(MOST);
        Ok(Learnt { models: models.collect() })
    }

    /// Everything learnt of a model.
    pub fn of(&self, model: &ModelId) -> Density {
        self.models.get(model).copied().unwrap_or_default()
    }

    /// Keeps the densities that a run has learnt, beside those of others.
    ///
    /// # Errors
    /// The file cannot be written; its old content stays.
    pub fn keep<'a>(data: &Path, learnt: impl Iterator<Item = (&'a ModelId, Density)>) -> io::Result<()> {
        let mut known = Learnt::load(data);
        let before = known.clone();
        known.models.extend(learnt.map(|(model, density)| (model.clone(), density)));
        if known == before {
            return Ok(());
        }
        // Another process reads the old file or the new one, never a half.
        let path = data.join(FILE);
        let new: PathBuf = data.join(format!("{FILE}.{}", std::process::id()));
        std::fs::write(&new, known.written()).and_then(|()| std::fs::rename(&new, &path)).inspect_err(|_| {
            let _ = std::fs::remove_file(&new);
        })
    }

    fn written(&self) -> String {
        let mut text = String::from(
            "# Tokens of a thousand bytes of text with each model, as the answers of its server say: likely for forecasts,\n\
             # careful for what is reserved before a call. masthead writes this file; without it, it begins anew.\n\n[models]\n",
        );
        for (model, Density { likely, careful }) in &self.models {
            let name = serde_json::Value::from(model.to_string());
            let _ = writeln!(text, "{name} = {{ likely = {likely}, careful = {careful} }}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_the_next_time_and_what_others_have_kept_stays() {
        let data = tempfile::tempdir().unwrap();
        let [one, two]: [ModelId; 2] = ["mine/a \"b\"", "ollama/qwen3:8b"].map(|name| name.parse().unwrap());
        let (first, second) = (Density { likely: 240, careful: 371 }, Density { likely: 310, careful: 1_400 });
        assert_eq!(Learnt::load(data.path()).of(&one), Density::default());
        Learnt::keep(data.path(), [(&one, first)].into_iter()).unwrap();
        Learnt::keep(data.path(), [(&two, first)].into_iter()).unwrap();
        Learnt::keep(data.path(), [(&two, second)].into_iter()).unwrap();
        let known = Learnt::load(data.path());
        assert_eq!((known.of(&one), known.of(&two)), (first, second));
        let files: Vec<_> = std::fs::read_dir(data.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(files, [FILE]);
    }

    #[test]
    fn a_file_that_cannot_be_used_costs_nothing_but_what_was_in_it() {
        let data = tempfile::tempdir().unwrap();
        let model: ModelId = "a/b".parse().unwrap();
        for text in [
            "",
            "models = 1",
            "\0\0",
            "[models]\n\"a/b\" = { likely = 240 }",
            "[models]\n\"a/b\" = { likely = -1, careful = 300 }",
            "[models]\n\"a/b\" = { likely = 1, careful = 2 }",
            "[models]\n\"a/b\" = { likely = 300, careful = 200 }",
            "[models]\n\"a/b\" = { likely = 300, careful = 4000000000 }",
        ] {
            std::fs::write(data.path().join(FILE), text).unwrap();
            assert!(Learnt::load(data.path()).of(&model).is_unlearnt(), "{text}");
        }
        let nowhere = data.path().join("not there");
        assert!(Learnt::keep(&nowhere, [(&model, Density { likely: 240, careful: 371 })].into_iter()).is_err());
    }
}
