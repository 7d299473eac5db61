//! Jupyter notebooks to blocks: text cells as Markdown, code cells, and their output.
//!
//! See "The Notebook file format" of nbformat, version 4. Runs no cell.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::draft::Draft;
use super::line_count::LineCount;
use super::{Unread, markdown};
use run::evidence::BlockKind;

/// The most bytes read of one output of a cell: longer output is progress, or data.
const MOST_PRINTED: usize = 600;

#[derive(Deserialize)]
struct Notebook<'n> {
    #[serde(borrow)]
    cells: Vec<Cell<'n>>,
}

#[derive(Deserialize)]
struct Cell<'n> {
    cell_type: String,
    /// A text, or its lines.
    #[serde(borrow)]
    source: &'n RawValue,
    #[serde(default)]
    outputs: Vec<Output>,
}

#[derive(Deserialize)]
struct Output {
    text: Option<Lines>,
    data: Option<Shown>,
}

#[derive(Deserialize)]
struct Shown {
    #[serde(rename = "text/plain")]
    plain: Option<Lines>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    Whole(String),
    Each(Vec<String>),
}

impl Lines {
    fn joined(self) -> String {
        match self {
            Lines::Whole(text) => text,
            Lines::Each(lines) => lines.concat(),
        }
    }
}

/// # Errors
///
/// [`Unread::Notebook`] if it is not JSON, or of a version before 4.
pub(super) fn parse(text: &str, draft: &mut Draft) -> Result<(), Unread> {
    let notebook: Notebook = serde_json::from_str(text).map_err(|error| Unread::Notebook(error.to_string()))?;
    let mut lines = LineCount::new(text.as_bytes(), 1);
    for cell in notebook.cells {
        let Ok(source) = serde_json::from_str::<Lines>(cell.source.get()) else { continue };
        // Each line of a cell stands on one of the file, as Jupyter writes them.
        let line = lines.at(first_of(text, cell.source.get()));
        let mut source = source.joined();
        match cell.cell_type.as_str() {
            "markdown" => markdown::parse_from(&source, draft, line),
            "code" => {
                // Output says little without the cell that printed it.
                let shown = cell
                    .outputs
                    .into_iter()
                    .filter_map(|output| output.text.or(output.data.and_then(|data| data.plain)));
                for shown in shown.map(Lines::joined).filter(|shown| shown.len() <= MOST_PRINTED) {
                    source.push_str("\n\n");
                    source.push_str(shown.trim_end());
                }
                draft.push(BlockKind::Code, None, &source, line);
            }
            _ => {}
        }
    }
    Ok(())
}

/// The line number of the first line of a cell's text.
fn first_of(text: &str, source: &str) -> usize {
    let at = source.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    at + source.find('"').unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::{Unread, parse};
    use run::evidence::BlockKind::*;

    const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# A first model\n",
    "\n",
    "It has *two* layers."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "outputs": [{"output_type": "stream", "name": "stdout", "text": ["accuracy: ", "0.93\n"]},
               {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}}],
   "source": "model.fit(x, y)"
  },
  {"cell_type": "raw", "source": ["not shown"]}
 ],
 "nbformat": 4
}"##;

    #[test]
    fn a_notebook_falls_into_its_blocks() {
        let notebook = parse(NOTEBOOK.as_bytes(), "model.ipynb").unwrap();
        assert_eq!(notebook.title, "A first model");
        let blocks: Vec<_> =
            notebook.blocks.iter().map(|block| (block.kind, block.text.as_str(), block.line)).collect();
        assert_eq!(blocks, [(Paragraph, "It has two layers.", 9), (Code, "model.fit(x, y)\n\naccuracy: 0.93", 17),]);
        assert_eq!(notebook.blocks[1].intro.as_deref(), Some("It has two layers."));
    }

    #[test]
    fn what_is_no_notebook_is_said_to_be_none() {
        for text in ["{}", "not json", r#"{"worksheets": []}"#] {
            assert!(matches!(parse(text.as_bytes(), "a.ipynb"), Err(Unread::Notebook(_))), "{text}");
        }
    }
}
