//! The form of a report on standard output: lines or JSON. It writes nothing.

/// The form of a report on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines for a person.
    Lines,
    /// JSON for programs.
    Json,
}

impl Form {
    /// The form that `--json`, given or not, asks for.
    pub fn of(json: bool) -> Form {
        if json { Form::Json } else { Form::Lines }
    }
}
