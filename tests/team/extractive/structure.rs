//! The extractive team's use of the structure of pages: lists, tables and program text that answer as a whole.

use super::{ask_in, told_of};

/// The brief on a question, asked of pages, each with its file name.
fn told_of_pages(pages: &[(&str, &str)], question: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, page) in pages {
        std::fs::write(folder.path().join(name), page).unwrap();
    }
    ask_in(&folder, question).brief.to_string()
}

/// Whether texts stand in a text, in this order.
fn has_in_order(text: &str, parts: &[&str]) -> bool {
    let mut rest = text;
    parts.iter().all(|part| rest.split_once(part).map(|(_, after)| rest = after).is_some())
}

#[test]
fn the_steps_below_a_heading_are_told_whole_in_order_and_without_those_of_another_page() {
    let stock = "# Chicken stock\n\n## Directions\n\n1. Cut onions, celery and carrots into large chunks, and add them to a \
        large empty pot.\n2. Add the chicken to the pot as well. It is fine to cut the chicken to reduce its size.\n3. Add \
        any aromatic seasonings.\n4. Fill the pot with water up slightly past all of it.\n5. Strain the liquid, now stock, \
        into another container for storage.\n";
    let jambalaya = "# Shrimp jambalaya\n\n## Directions\n\n1. Warm up the chicken stock with raw shrimp shells.\n2. Add the \
        stock, the seasoning mix, and the garlic.\n";
    let brief = told_of_pages(&[("stock.md", stock), ("jambalaya.md", jambalaya)], "How do I make chicken stock?");
    let steps = [
        "**Chicken stock**",
        "- Cut onions",
        "- Add the chicken to the pot as well. It is fine to cut",
        "- Add any aromatic",
        "- Fill the pot",
        "- Strain the liquid",
    ];
    assert!(has_in_order(&brief, &steps), "{brief}");
    assert!(!brief.contains("shrimp shells") && !brief.contains("garlic"), "{brief}");
}

#[test]
fn the_differences_that_a_page_lists_are_told_whole_where_its_things_are_compared() {
    let ci = "# tool-ci\n\nThis command is like tool install, but it is meant for automated environments.\n\nThe main \
        differences between using `tool install` and `tool ci` are:\n\n* The project must have an existing lock file.\n* If \
        a folder of modules is present, it is removed before `tool ci` begins its install.\n* It will never write to the \
        manifest or to any of the lock files.\n";
    let install = "# tool-install\n\nThis command installs a package and any packages that it depends on. When you run `tool \
        install` without arguments, it compares the manifest and the lock file.\n";
    let brief = told_of_pages(
        &[("ci.md", ci), ("install.md", install)],
        "What are the main differences between tool install and tool ci?",
    );
    let list = [
        "**The main differences between using tool install and tool ci**",
        "- The project must have an existing lock file.",
        "- If a folder of modules is present",
        "- It will never write",
    ];
    assert!(has_in_order(&brief, &list), "{brief}");
}

#[test]
fn a_table_of_what_is_asked_for_is_told_with_all_its_rows() {
    let page = "# Tool\n\n## Exit codes\n\nCommands return an exit code that says whether the command was successful.\n\n| Code \
        | Meaning |\n|---|---|\n| 0 | Command was successful |\n| 1 | Command failed, see its help for details |\n| 12 | Wrong \
        password |\n\n## Sizes\n\n| Size | Meaning |\n|---|---|\n| 1 | A small block of the store |\n| 2 | A large block of \
        the store |\n| 3 | The largest block of the store |\n";
    let brief = told_of(page, "What are the exit codes of the tool?");
    assert!(has_in_order(&brief, &["Command was successful", "Command failed", "Wrong password"]), "{brief}");
    assert!(!brief.contains("large block"), "{brief}");
}

#[test]
fn settings_in_program_text_are_told_where_the_sentence_above_announces_what_was_asked_for() {
    let page = "# Profiles\n\n## dev\n\nThe dev profile is used for normal development. The default settings for the dev \
        profile are:\n\n```toml\n[profile.dev]\nopt-level = 0\nassertions = true\n```\n\n## Custom\n\nA custom profile can be \
        defined. An example of one is:\n\n```toml\n[profile.production]\ninherits = \"release\"\n```\n";
    let brief = told_of(page, "What are the default settings of the dev profile?");
    assert!(brief.contains("opt-level = 0\nassertions = true"), "{brief}");
    assert!(!brief.contains("inherits"), "{brief}");
    let brief = told_of(page, "What is a profile?");
    assert!(!brief.contains("```"), "an example does not say what it is: {brief}");
}

#[test]
fn a_part_that_asks_about_it_is_answered_only_with_what_is_about_it() {
    let cache = "# Cache\n\nThe program keeps a cache of its index in the folder `~/.cache/tool`. Old folders of the cache can \
        be deleted by hand at any time.\n";
    let snapshots = "# Snapshots\n\nTo delete a snapshot, use the forget command. If you delete all snapshots of a host, its \
        backups are lost. A snapshot can be deleted by anybody who has the password.\n";
    let brief =
        told_of_pages(&[("cache.md", cache), ("snapshots.md", snapshots)], "Where is the cache and can I delete it?");
    assert!(brief.contains("can be deleted by hand"), "{brief}");
    let below = brief.split_once("## Can I delete it").map_or("", |(_, below)| below);
    assert!(!below.contains("backups are lost") && !below.contains("by anybody"), "{brief}");
}

#[test]
fn a_command_in_a_paragraph_of_its_own_is_told_below_the_words_on_its_purpose() {
    let page = "# tar\n\n> Archiving utility.\n\n- Extract a (compressed) archive [f]ile into the target directory:\n\n`tar xf \
        {{path/to/source.tar.gz}} --directory {{path/to/directory}}`\n\n- [c]reate an archive of a directory:\n\n`tar cf \
        {{path/to/target.tar}} {{path/to/directory}}`\n";
    let brief = told_of(page, "How do I extract an archive into a directory?");
    let told =
        ["Extract a (compressed) archive file into the target directory: [1]", "```\ntar xf {{path/to/source.tar.gz}}"];
    assert!(has_in_order(&brief, &told), "{brief}");
}

#[test]
fn commands_that_are_compared_are_told_with_the_line_that_names_their_purpose() {
    let page = |name: &str, purpose: &str, more: &str| {
        format!(
            "<html><body><h1>tool-{name}(1)</h1><h2>NAME</h2><p>tool-{name} — {purpose}</p><h2>DESCRIPTION</h2><p>{more}</p></body></html>"
        )
    };
    let build = page("build", "Compile the current package", "Compile local packages and all of their dependencies.");
    let check =
        page("check", "Look for errors in the current package", "Check a local package and all of its dependencies.");
    let brief = told_of_pages(
        &[("build.html", &build), ("check.html", &check)],
        "What is the difference between tool build and tool check?",
    );
    for told in ["[tool-build]: Compile the current package.", "[tool-check]: Look for errors in the current package."]
    {
        assert!(brief.contains(told), "{told}: {brief}");
    }
}
