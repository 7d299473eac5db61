//! The indent that all lines of program text share.

/// Lines of program text without their common indent.
pub(super) fn without_margin<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Vec<&'l str> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let margin = lines.clone().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    lines.map(|line| line.get(margin..).unwrap_or("")).collect()
}
