//! The extractive team: finds, selects and arranges the sources' own sentences by rule.
