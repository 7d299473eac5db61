use super::*;
use run::team::Strength::{self, Middle, Small, Strongest};

/// The expected content of a file: its tools (None: those of the team), the strength it asks for, the parts that are left out.
type Expected = (Option<&'static [&'static str]>, Option<Strength>, &'static [&'static str]);

/// Subagent files in the shapes in which people have them.
const SHAPES: &[(&str, &str, Expected)] = &[
    ("plain.md", "---\nname: plain\ndescription: Looks things up.\n---\nYou look things up.\n", (None, None, &[])),
    (
        "usual.md",
        "---\nname: usual\ndescription: Reviews.\ntools: Read, Grep, Glob, Bash\nmodel: sonnet\n---\n\nYou review.\n",
        (Some(&["read", "search"]), Some(Middle), &["Bash"]),
    ),
    (
        "listed.md",
        "---\nname: listed\ndescription: Reviews.\ntools:\n  - Read\n  - WebSearch\n  - WebFetch\nmodel: opus\n---\nYou review.\n",
        (Some(&["read", "search"]), Some(Strongest), &[]),
    ),
    (
        "flow.md",
        "---\nname: flow\ndescription: Writes.\ntools: [\"Read\", \"Write\", 'Edit']\nmodel: haiku\n---\nYou write.\n",
        (Some(&["read"]), Some(Small), &["Write", "Edit"]),
    ),
    (
        "folded.md",
        "---\nname: folded\ndescription: >\n  Looks at code\n  and at tests.\ncolor: blue\n---\nYou look.\n",
        (None, None, &[]),
    ),
    (
        "literal.md",
        "---\nname: literal\ndescription: |-\n  Looks at code.\n  Use it often.\ntools: LS\n---\nYou look.\n",
        (Some(&["outline"]), None, &[]),
    ),
    (
        "quoted.md",
        "---\nname: \"quoted\"\ndescription: \"Use this: when there is code\"\nmodel: \"sonnet\"\n---\nYou look.\n",
        (None, Some(Middle), &[]),
    ),
    (
        "examples.md",
        "---\nname: examples\ndescription: Use this agent for tests. Examples:\\n\\n<example>\\nuser: \"Hello\"\\n</example>\nmodel: inherit\ncolor: red\n---\n\nYou test.\n",
        (None, None, &[]),
    ),
    (
        "dated.md",
        "---\nname: dated\ndescription: Reviews.\nmodel: claude-opus-4-1-20250805\n---\nYou review.\n",
        (None, Some(Strongest), &[]),
    ),
    (
        "other-model.md",
        "---\nname: other-model\ndescription: Reviews.\nmodel: gpt-9-turbo\n---\nYou review.\n",
        (None, None, &[]),
    ),
    (
        "windows.md",
        "---\r\nname: windows\r\ndescription: Reviews.\r\ntools: Read\r\n---\r\nYou review.\r\n",
        (Some(&["read"]), None, &[]),
    ),
    ("marked.md", "\u{feff}---\nname: marked\ndescription: Reviews.\n---\nYou review.\n", (None, None, &[])),
    (
        "allowed.md",
        "---\nname: allowed\ndescription: Reviews.\nallowed-tools: Read, Grep\n---\nYou review.\n",
        (Some(&["read", "search"]), None, &[]),
    ),
    (
        "narrowed.md",
        "---\nname: narrowed\ndescription: Reviews.\ntools: Bash(git diff:*, git log:*), Read\n---\nYou review.\n",
        (Some(&["read"]), None, &["Bash(git diff:*, git log:*)"]),
    ),
    (
        "served.md",
        "---\nname: served\ndescription: Lists issues.\ntools: Grep, mcp__github__list_issues\n---\nYou list.\n",
        (Some(&["search"]), None, &["mcp__github__list_issues"]),
    ),
    (
        "hooked.md",
        "---\nname: hooked\ndescription: Checks.\nhooks:\n  PreToolUse:\n    - matcher: \"Bash\"\n      hooks:\n        - type: command\n          command: \"./check.sh\"\n---\nYou check.\n",
        (None, None, &["hooks"]),
    ),
    (
        "skilled.md",
        "---\nname: skilled\ndescription: Designs.\nskills:\n  - api-conventions\n  - errors\n---\nYou design.\n",
        (None, None, &["skills"]),
    ),
    (
        "servers.md",
        "---\nname: servers\ndescription: Looks.\nmcpServers:\n  - playwright:\n      type: stdio\n---\nYou look.\n",
        (None, None, &["mcpServers"]),
    ),
    (
        "permitted.md",
        "---\nname: permitted\ndescription: Looks.\npermissionMode: acceptEdits\nmemory: user\n---\nYou look.\n",
        (None, None, &["permissionMode"]),
    ),
    ("all.md", "---\nname: all\ndescription: Looks.\ntools: \"*\"\n---\nYou look.\n", (None, None, &[])),
    ("empty-tools.md", "---\nname: empty-tools\ndescription: Looks.\ntools:\n---\nYou look.\n", (None, None, &[])),
    ("no-tools.md", "---\nname: no-tools\ndescription: Thinks.\ntools: []\n---\nYou think.\n", (Some(&[]), None, &[])),
    (
        "spaces.md",
        "---\nname: spaces\ndescription: Looks.\ntools: Read Grep Bash\n---\nYou look.\n",
        (Some(&["read", "search"]), None, &["Bash"]),
    ),
    (
        "todo.md",
        "---\nname: todo\ndescription: Looks.\ntools: WebSearch, TodoWrite, Task, NotebookEdit\n---\nYou look.\n",
        (Some(&["search"]), None, &["TodoWrite", "Task", "NotebookEdit"]),
    ),
    ("named-otherwise.md", "---\nname: Code Reviewer\ndescription: Looks.\n---\nYou look.\n", (None, None, &[])),
    ("unnamed.md", "---\ndescription: Looks.\n---\nYou look.\n", (None, None, &[])),
    (
        "commented.md",
        "---\n# of the platform team\nname: commented\n\ndescription: Looks. 🔍 Größe\n---\nYou look.\n",
        (None, None, &[]),
    ),
    (
        "turns.md",
        "---\nname: turns\ndescription: Looks.\nmaxTurns: 20\nbackground: true\nisolation: worktree\n---\nYou look.\n",
        (None, None, &["background", "isolation"]),
    ),
    (
        "engineering/backend/deep.md",
        "---\nname: deep\ndescription: Looks.\ntools: Glob\n---\nYou look.\n",
        (Some(&["search"]), None, &[]),
    ),
    ("ruled.md", "---\nname: ruled\ndescription: Looks.\n---\n\n# Role\n\n---\n\nYou look.\n", (None, None, &[])),
];

/// Files that are no specialists, and why.
const NONE: &[(&str, &[u8], &str)] = &[
    ("README.md", b"# Agents\n\nThis folder holds agents.\n", "no front matter"),
    ("unclosed.md", b"---\nname: unclosed\nYou look.\n", "not closed"),
    ("hollow.md", b"---\nname: hollow\ndescription: Looks.\n---\n\n", "nothing below"),
    ("binary.md", b"\xff\xfe\x00\x01", "UTF-8"),
    ("escapes.md", b"---\nname: ../../etc/passwd\ndescription: x\n---\nYou look.\n", "no name for a role"),
    ("z-second.md", b"---\nname: plain\ndescription: Again.\n---\nYou look again.\n", "another `plain`"),
];

#[test]
fn thirty_files_of_other_programs_are_specialists_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    SHAPES.iter().for_each(|(name, text, _)| write(name, text.as_bytes()));
    NONE.iter().for_each(|(name, bytes, _)| write(name, bytes));
    write("notes.txt", b"no agent");
    let found = agents(folder.path()).unwrap();
    assert_eq!((SHAPES.len(), found.prompts.len()), (30, 30));
    for (name, _, (tools, strength, left_out)) in SHAPES {
        let stem = Path::new(name).file_stem().unwrap().to_str().unwrap();
        let role = if stem == "named-otherwise" { "code-reviewer" } else { stem };
        let prompt = &found.prompts[&Role::new(role)];
        let own = prompt.tools.as_ref().map(|tools| tools.iter().map(|tool| tool.as_str()).collect::<Vec<_>>());
        assert_eq!(own.as_deref(), *tools, "{name}");
        assert_eq!(prompt.strength, *strength, "{name}");
        assert_eq!(prompt.left_out.iter().map(Clean::as_str).collect::<Vec<_>>(), *left_out, "{name}");
        assert!(prompt.text.contains("You ") && !prompt.description.is_empty(), "{name}");
        assert!(!prompt.description.contains("example"), "{name}: {}", prompt.description);
    }
    assert_eq!(found.unused.len(), NONE.len());
    for (path, why) in &found.unused {
        let (.., says) = NONE.iter().find(|(name, ..)| path.ends_with(name)).unwrap();
        assert!(why.contains(says), "{}: {why}", path.display());
    }
}

#[test]
fn a_long_description_is_told_in_short() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        format!("---\nname: long\ndescription: It looks at code. {}\n---\nYou look.\n", "And at more. ".repeat(200));
    std::fs::write(folder.path().join("long.md"), text).unwrap();
    let found = agents(folder.path()).unwrap();
    let description = &found.prompts[&Role::new("long")].description;
    assert!(description.len() <= 300 && description.ends_with("And at more."), "{description}");
}

#[test]
fn the_first_files_by_path_are_read_and_the_others_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["d", "b", "a", "c"] {
        let text = format!("---\nname: {name}\ndescription: Looks.\n---\nYou look.\n");
        std::fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
    }
    let found = first_agents(folder.path(), 2).unwrap();
    assert_eq!(found.prompts.keys().map(Role::as_str).collect::<Vec<_>>(), ["a", "b"]);
    let beyond: Vec<_> =
        found.unused.iter().map(|(path, why)| (path.file_stem().unwrap().to_str().unwrap(), &**why)).collect();
    assert_eq!(beyond, [("c", "the folder has more than 2 files"), ("d", "the folder has more than 2 files")]);
    assert!(first_agents(folder.path(), 4).unwrap().unused.is_empty());
}
