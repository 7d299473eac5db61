//! Classifies the elements of DocBook, Mallard and DITA.

use html5gum::StartTag;

use super::super::element::Role;
use super::super::reader::Reader;

/// The name of an element without its prefix.
pub(super) fn local(name: &[u8]) -> &[u8] {
    name.rsplit(|b| *b == b':').next().unwrap_or(name)
}

/// Whether an element is a section, with a title of its own.
pub(super) fn is_section(name: &[u8]) -> bool {
    const SECTIONS: [&[u8]; 36] = [
        b"acknowledgements",
        b"appendix",
        b"article",
        b"book",
        b"chapter",
        b"colophon",
        b"concept",
        b"dedication",
        b"glossary",
        b"glossdiv",
        b"page",
        b"part",
        b"preface",
        b"qandadiv",
        b"qandaset",
        b"refentry",
        b"reference",
        b"refsect1",
        b"refsect2",
        b"refsect3",
        b"refsection",
        b"refsynopsisdiv",
        b"sect1",
        b"sect2",
        b"sect3",
        b"sect4",
        b"sect5",
        b"section",
        b"set",
        b"sidebar",
        b"simplesect",
        b"task",
        b"topic",
        b"troubleshooting",
        b"tutorial",
        b"partintro",
    ];
    SECTIONS.contains(&name)
}

/// Whether an element describes its parent: its title, and much that is not extracted.
fn is_info(name: &[u8]) -> bool {
    const SAID: [&[u8]; 6] =
        [b"classsynopsisinfo", b"funcsynopsisinfo", b"refentryinfo", b"refmiscinfo", b"releaseinfo", b"screeninfo"];
    name.ends_with(b"info") && !SAID.contains(&name) || name == b"artheader"
}

/// The role of an element, given its open ancestors.
pub(super) fn role(tag: &StartTag<usize>, reader: &Reader) -> Role {
    let name = local(&tag.name);
    let mut above = reader.stack.iter().rev().map(|open| (local(&open.name), open.role));
    let (parent, parent_role) = above.next().unwrap_or_default();
    if is_info(parent) && parent_role == Role::Group {
        let (owner, owner_role) = above.next().unwrap_or_default();
        return match name {
            // Mallard has titles for other places there; that of a manual page is not printed.
            b"title" if !tag.attributes.contains_key(b"type".as_slice()) && owner != b"refentry" => {
                title(owner_role, reader)
            }
            b"abstract" => Role::Group,
            _ => Role::Skip,
        };
    }
    let role = match name {
        // The caption of a picture.
        b"caption" | b"desc" | b"title" if matches!(parent, b"fig" | b"figure") => Role::Skip,
        // The common title of all manual pages of a program is no title of one.
        b"title" if parent == b"reference" && reader.is_manual_page => Role::Skip,
        b"title" => title(parent_role, reader),
        b"glossentry" if reader.stack.is_empty() => Role::Section,
        b"glossterm" if parent_role == Role::Section => Role::Heading(reader.depth()),
        b"bridgehead" => Role::Heading(reader.depth() + 1),
        _ if is_section(name) => Role::Section,
        b"cmd" | b"info" if matches!(parent, b"step" | b"substep") => Role::Block,
        _ if is_info(name) => Role::Group,
        b"code" | b"quote" if is_block_of_mallard(parent) => match name {
            b"code" => Role::Pre,
            _ => Role::Block,
        },
        b"desc" if matches!(parent, b"link" | b"xref") => Role::Skip,
        b"abbrev" | b"acronym" if parent == b"glossentry" => Role::Skip,
        b"listitem" if parent == b"varlistentry" => Role::Definition,
        b"item" if parent == b"terms" => Role::Terms,
        b"term" if parent == b"varlistentry" => Role::Term,
        b"glossterm" if parent == b"glossentry" => Role::Term,
        b"simplelist" if is_inline_list(tag) => Role::Inline,
        // It stands for elements that are in another file.
        b"entity" if holds_elements(parent_role) => Role::Skip,
        b"member" if parent_role != Role::List => Role::Inline,
        b"entry" | b"stentry" | b"td" => Role::Cell(parent == b"sthead"),
        _ => role_by_name(name),
    };
    let within =
        reader.stack.iter().rev().map(|open| open.role).find(|role| !matches!(role, Role::Inline | Role::Link));
    // A question of several paragraphs is one term.
    let is_line = matches!(within, Some(Role::Heading(_) | Role::Term | Role::Introduction | Role::Purpose));
    if is_line && role != Role::Skip { Role::Inline } else { role }
}

/// The role of the title of an element with this role.
fn title(role: Role, reader: &Reader) -> Role {
    match role {
        Role::Section => Role::Heading(reader.depth()),
        Role::Terms => Role::Term,
        Role::List => Role::Introduction,
        _ => Role::Block,
    }
}

/// Whether an element of this role has no text outside of elements.
fn holds_elements(role: Role) -> bool {
    use Role::{Group, List, Row, Section, Table, TableHead, Terms};
    matches!(role, Group | List | Row | Section | Table | TableHead | Terms)
}

/// Whether an element with this name contains code and quotations as separate blocks.
fn is_block_of_mallard(parent: &[u8]) -> bool {
    const HOLDERS: [&[u8]; 10] =
        [b"comment", b"div", b"example", b"figure", b"item", b"listing", b"note", b"page", b"section", b"synopsis"];
    HOLDERS.contains(&parent)
}

fn is_inline_list(tag: &StartTag<usize>) -> bool {
    has(tag, b"type", b"inline")
}

/// Whether an attribute of an element has this value.
fn has(tag: &StartTag<usize>, name: &[u8], value: &[u8]) -> bool {
    tag.attributes.get(name).is_some_and(|found| found.as_slice() == value)
}

fn role_by_name(name: &[u8]) -> Role {
    match name {
        b"alt" | b"areaspec" | b"audioobject" | b"beginpage" | b"bibliography" | b"bibliolist"
        | b"classsynopsisinfo" | b"co" | b"colspec" | b"comment" | b"copyright" | b"credit" | b"data"
        | b"draft-comment" | b"equation" | b"fallback" | b"fn" | b"footnote" | b"footnoteref" | b"foreign"
        | b"glosssee" | b"glossseealso" | b"graphic" | b"imageobject" | b"image" | b"include" | b"index"
        | b"indexterm" | b"informalequation" | b"inlineequation" | b"inlinegraphic" | b"inlinemediaobject"
        | b"label" | b"legalnotice" | b"links" | b"lot" | b"math" | b"media" | b"mediaobject" | b"metadata"
        | b"navtitle" | b"prolog" | b"refclass" | b"refdescriptor" | b"refentryinfo" | b"refmiscinfo"
        | b"related-links" | b"remark" | b"required-cleanup" | b"revhistory" | b"screeninfo" | b"screenshot"
        | b"svg" | b"titleabbrev" | b"titlealts" | b"toc" | b"unknown" | b"videoobject" => Role::Skip,
        b"ackno"
        | b"cmdsynopsis"
        | b"constructorsynopsis"
        | b"destructorsynopsis"
        | b"fieldsynopsis"
        | b"methodsynopsis"
        | b"ooclass"
        | b"lines"
        | b"p"
        | b"para"
        | b"shortdesc"
        | b"simpara" => Role::Paragraph,
        b"codeblock" | b"funcsynopsis" | b"literallayout" | b"msgblock" | b"pre" | b"programlisting" | b"screen"
        | b"synopsis" => Role::Pre,
        b"calloutlist" | b"choices" | b"itemizedlist" | b"list" | b"ol" | b"orderedlist" | b"procedure"
        | b"simplelist" | b"sl" | b"steps" | b"steps-informal" | b"steps-unordered" | b"substeps" | b"tree" | b"ul" => {
            Role::List
        }
        b"callout" | b"choice" | b"item" | b"li" | b"listitem" | b"member" | b"sli" | b"step" | b"substep" => {
            Role::Item
        }
        // The title of a note is a term with the note as its definition.
        b"caution" | b"danger" | b"dlentry" | b"formalpara" | b"glossentry" | b"important" | b"note" | b"plentry"
        | b"qandaentry" | b"tip" | b"varlistentry" | b"warning" => Role::Terms,
        b"dt" | b"pt" | b"question" => Role::Term,
        b"answer" | b"dd" | b"glossdef" | b"pd" => Role::Definition,
        b"choicetable" | b"informaltable" | b"properties" | b"simpletable" | b"table" => Role::Table,
        b"thead" => Role::TableHead,
        b"chhead" | b"chrow" | b"prophead" | b"property" | b"row" | b"sthead" | b"strow" | b"tr" => Role::Row,
        b"chdesc" | b"choption" | b"propdesc" | b"proptype" | b"propvalue" => Role::Cell(false),
        b"chdeschd" | b"choptionhd" | b"propdeschd" | b"proptypehd" | b"propvaluehd" | b"th" => Role::Cell(true),
        b"link" | b"olink" | b"ulink" | b"xref" => Role::Link,
        b"refmeta" => Role::Manual,
        b"refnamediv" => Role::Purpose,
        b"classsynopsis" | b"dl" | b"glosslist" | b"parml" | b"segmentedlist" | b"terms" | b"tgroup"
        | b"variablelist" => Role::Group,
        b"abstract"
        | b"address"
        | b"attribution"
        | b"blockquote"
        | b"body"
        | b"bodydiv"
        | b"caption"
        | b"conbody"
        | b"context"
        | b"desc"
        | b"div"
        | b"epigraph"
        | b"example"
        | b"fig"
        | b"figure"
        | b"footer"
        | b"glossbody"
        | b"highlights"
        | b"informalexample"
        | b"informalfigure"
        | b"listing"
        | b"lq"
        | b"postreq"
        | b"prereq"
        | b"programlistingco"
        | b"refbody"
        | b"result"
        | b"screenco"
        | b"sectiondiv"
        | b"seg"
        | b"seglistitem"
        | b"segtitle"
        | b"stepresult"
        | b"stepxmp"
        | b"steptroubleshooting"
        | b"taskbody"
        | b"tbody"
        | b"tfoot"
        | b"subtitle"
        | b"tutorialinfo" => Role::Block,
        _ => Role::Inline,
    }
}

/// Whether it is a formula.
pub(super) fn is_formula(name: &[u8]) -> bool {
    matches!(name, b"equation" | b"informalequation" | b"inlineequation" | b"math")
}

/// The separator between the children of an element, whose source may have any amount of space between them.
pub(super) fn between(name: &[u8], tag: &StartTag<usize>) -> Option<&'static str> {
    Some(match name {
        b"citerefentry" | b"refmeta" => "",
        b"cmdsynopsis" | b"fieldsynopsis" | b"methodparam" | b"ooclass" | b"personname" => " ",
        b"constructorsynopsis" | b"destructorsynopsis" | b"funcprototype" | b"methodsynopsis" | b"refnamediv" => ", ",
        b"type" if has(tag, b"class", b"union") => "|",
        b"group" => " | ",
        b"guiseq" | b"menucascade" | b"menuchoice" => " > ",
        b"keycombo" | b"keyseq" => "+",
        b"simplelist" if is_inline_list(tag) => ", ",
        _ => return None,
    })
}

/// The text before a child of an element that joins its children.
pub(super) fn separator(name: &[u8], within: &'static str) -> &'static str {
    match name {
        b"refpurpose" => " - ",
        b"methodname" | b"modifier" | b"type" if within == ", " => " ",
        _ => within,
    }
}

/// Whether nothing joins an element to the next one, because it opens its parent.
pub(super) fn opens(name: &[u8]) -> bool {
    matches!(name, b"funcdef" | b"methodname" | b"shortcut")
}

/// The text at the beginning and the end of an element.
pub(super) fn around(name: &[u8], parent: &[u8], tag: &StartTag<usize>) -> (&'static str, &'static str) {
    let is = |name: &[u8], value: &[u8]| has(tag, name, value);
    match name {
        b"arg" | b"group" => match (is(b"choice", b"plain"), is(b"choice", b"req"), is(b"rep", b"repeat")) {
            (true, _, false) => ("", ""),
            (true, _, true) => ("", "..."),
            (_, true, false) => ("{", "}"),
            (_, true, true) => ("{", "}..."),
            (_, _, false) => ("[", "]"),
            (_, _, true) => ("[", "]..."),
        },
        b"funcdef" if parent == b"funcprototype" => ("", "("),
        b"funcprototype" => ("", ");\n"),
        b"initializer" => ("= ", ""),
        b"methodname" if parent.ends_with(b"synopsis") => ("", "("),
        b"constructorsynopsis" | b"destructorsynopsis" | b"methodsynopsis" => ("", ")"),
        b"funcsynopsisinfo" => ("", "\n"),
        b"manvolnum" | b"funcparams" => ("(", ")"),
        b"optional" => ("[", "]"),
        b"q" | b"quote" => ("\u{201c}", "\u{201d}"),
        b"shortcut" if parent == b"menuchoice" => ("(", ") "),
        b"varargs" => ("...", ""),
        b"void" => ("void", ""),
        _ => ("", ""),
    }
}
