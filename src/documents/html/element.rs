//! Classifies HTML elements: content, layout, or page furniture.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use html5gum::StartTag;

/// The effect of an element on the text around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// Part of a line of text.
    #[default]
    Inline,
    /// A link: part of a line; text of only links is a menu.
    Link,
    /// Begins and ends a block.
    Block,
    /// A heading of this level.
    Heading(u8),
    Title,
    Paragraph,
    Pre,
    List,
    Item,
    Terms,
    Term,
    Definition,
    Table,
    /// The header rows of a table.
    TableHead,
    Row,
    /// A cell; whether it is a header.
    Cell(bool),
    Break,
    /// Not text: skipped with all its content.
    Skip,
    /// XML: a section with its own heading, which ends with it.
    Section,
    /// XML: contains only elements.
    Group,
    /// XML: introduces the items of its list.
    Introduction,
    /// XML: name and section of a manual page.
    Manual,
    /// XML: names and purpose of a manual page.
    Purpose,
}

/// Elements that never have an end tag.
pub(super) fn is_void(name: &[u8]) -> bool {
    const VOID: [&[u8]; 14] = [
        b"area", b"base", b"br", b"col", b"embed", b"hr", b"img", b"input", b"link", b"meta", b"param", b"source",
        b"track", b"wbr",
    ];
    VOID.contains(&name)
}

/// The role of an element. Without `drop_menus`, only scripts and the like are skipped.
pub(super) fn role(tag: &StartTag<usize>, drop_menus: bool) -> Role {
    match tag.name.as_slice() {
        b"script" | b"style" | b"template" | b"noscript" | b"iframe" | b"svg" | b"math" | b"object" | b"canvas"
        | b"audio" | b"video" | b"select" | b"datalist" | b"textarea" | b"button" | b"rp" | b"rt" => return Role::Skip,
        // Struck-out text no longer holds.
        b"s" | b"strike" | b"del" => return Role::Skip,
        b"nav" | b"aside" | b"form" | b"menu" | b"footer" | b"dialog" if drop_menus => return Role::Skip,
        // The header of an article may contain its title; the header of a page contains its menu.
        _ if drop_menus && surrounds(tag) => return Role::Skip,
        _ => {}
    }
    match tag.name.as_slice() {
        b"title" => Role::Title,
        b"a" => Role::Link,
        b"h1" => Role::Heading(1),
        b"h2" => Role::Heading(2),
        b"h3" => Role::Heading(3),
        b"h4" => Role::Heading(4),
        b"h5" => Role::Heading(5),
        b"h6" => Role::Heading(6),
        // A heading outside the table of contents.
        b"p" if has_class(tag, b"rubric") => Role::Heading(6),
        b"p" => Role::Paragraph,
        b"pre" | b"listing" | b"xmp" | b"plaintext" => Role::Pre,
        b"ul" | b"ol" | b"dir" => Role::List,
        b"li" => Role::Item,
        b"dl" => Role::Terms,
        b"dt" => Role::Term,
        b"dd" => Role::Definition,
        // The lists of items in pages of rustdoc before 1.77.
        b"div" if has_class(tag, b"item-table") => Role::Terms,
        b"div" if has_class(tag, b"item-left") => Role::Term,
        b"div" if has_class(tag, b"item-right") => Role::Definition,
        b"table" => Role::Table,
        b"thead" => Role::TableHead,
        b"tr" => Role::Row,
        b"td" => Role::Cell(false),
        b"th" => Role::Cell(true),
        b"br" => Role::Break,
        b"address" | b"article" | b"blockquote" | b"body" | b"center" | b"details" | b"div" | b"fieldset"
        | b"figcaption" | b"figure" | b"footer" | b"form" | b"header" | b"hgroup" | b"hr" | b"html" | b"legend"
        | b"main" | b"nav" | b"aside" | b"option" | b"search" | b"section" | b"summary" | b"tbody" | b"tfoot"
        | b"caption" => Role::Block,
        _ => Role::Inline,
    }
}

pub(super) fn is_formula(tag: &StartTag<usize>) -> bool {
    tag.name.as_slice() == b"math" || tag.name.as_slice() == b"span" && has_class(tag, b"mwe-math-element")
}

/// Whether it redirects a browser to another page: `<meta http-equiv="refresh" content="0; url=…">`.
pub(super) fn is_redirect(tag: &StartTag<usize>) -> bool {
    let has = |name: &[u8], part: &str| {
        tag.attributes.get(name).is_some_and(|value| String::from_utf8_lossy(value).to_ascii_lowercase().contains(part))
    };
    tag.name.as_slice() == b"meta" && has(b"http-equiv", "refresh") && has(b"content", "url=")
}

fn has_class(tag: &StartTag<usize>, class: &[u8]) -> bool {
    tag.attributes.get(b"class".as_slice()).is_some_and(|classes| classes.split(|b| *b == b' ').any(|c| c == class))
}

/// Class names of page furniture.
static AROUND: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    "
    admonition-title ambox authority-control breadcrumb breadcrumbs catlinks contents contentstable cookie-banner
    copiable-anchor copiable-link copyright dropdown-menu edit-link fn-backref footer footnote-backref footnote-ref footnote-reference gallery genindextable
    hatnote headerlink index-cp index-fn index-ky index-pg index-tp index-vr indexdiv indextable link-target linenodiv linenos list-of-examples list-of-figures list-of-tables menu metadata modindextable mw-cite-backlink mw-editsection
    mw-empty-elt mw-jump-link mw-references-wrap nav nav-panel navbar navbox navfooter navheader navigation
    navigation-not-searchable noexcerpt noprint noteref pagination permalink portal-bar portalbox prev-next
    printfooter refbegin reference-list references reflist related shortdescription side-box sidebar sidenav
    sistersitebox site-footer site-header skip-link skiplink sphinxsidebar sr-only thumb thumbcaption tmulti toc
    toctree-wrapper topnav vertical-navbox viewcode-link visually-hidden"
        .split_ascii_whitespace()
        .collect()
});

/// Whether a piece of text only describes the link behind it, or separates it from the next.
pub(super) fn leads_on(text: &str) -> bool {
    const WORDS: [&str; 15] =
        ["", "<", "<<", ">", ">>", "?", "Contents", "Index", "Next:", "Prev:", "Previous:", "Top", "Top:", "Up", "Up:"];
    WORDS.contains(&text.trim_matches(|c: char| c.is_whitespace() || ",[]|".contains(c)))
}

/// Whether an element is hidden or page furniture, by attribute, role or class.
pub(super) fn surrounds(tag: &StartTag<usize>) -> bool {
    if tag.attributes.is_empty() || matches!(tag.name.as_slice(), b"html" | b"body" | b"main" | b"h1") {
        return false;
    }
    let attribute =
        |name: &[u8]| tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).to_ascii_lowercase());
    if tag.attributes.contains_key(b"hidden".as_slice()) || attribute(b"aria-hidden").is_some_and(|v| v == "true") {
        return true;
    }
    if attribute(b"role").is_some_and(|role| {
        matches!(
            role.as_str(),
            "navigation" | "search" | "banner" | "contentinfo" | "complementary" | "menu" | "menubar"
        )
    }) {
        return true;
    }
    // Of e-books and of pages by docutils, where a heading is a link back to the table of contents.
    let is_around = |kind: &str| match kind.strip_prefix("doc-").unwrap_or(kind) {
        "backlink" => !has_class(tag, b"toc-backref"),
        kind => matches!(kind, "landmarks" | "noteref" | "page-list" | "pagebreak" | "toc"),
    };
    let mut kinds = attribute(b"epub:type").into_iter().chain(attribute(b"role"));
    if kinds.any(|kinds| kinds.split_ascii_whitespace().any(is_around)) {
        return true;
    }
    // Pictures of MediaWiki: their captions describe the pictures.
    if tag.name.as_slice() == b"figure" && attribute(b"typeof").is_some_and(|kind| kind.starts_with("mw:")) {
        return true;
    }
    if attribute(b"style").is_some_and(|style| {
        let style: String = style.split_whitespace().collect();
        style.contains("display:none") || style.contains("visibility:hidden")
    }) {
        return true;
    }
    let classes = attribute(b"class").unwrap_or_default();
    let named = |name: &str| AROUND.contains(name);
    if classes.split_ascii_whitespace().any(named) {
        return true;
    }
    match tag.name.as_slice() {
        // A footnote mark.
        b"sup" => classes.split_ascii_whitespace().any(|name| matches!(name, "reference" | "footnote")),
        b"a" => classes == "footnote",
        // Section ids are made of headings, and a section may be headed "Navigation".
        b"div" | b"ul" | b"ol" | b"table" if !classes.contains("section") => {
            attribute(b"id").is_some_and(|id| named(&id))
        }
        _ => false,
    }
}

/// Parts of class names and ids of page furniture on various sites.
const AROUND_SITES: &str = "
    advert author-bio banner breadcrumb byline comment consent cookie disqus footer gdpr login masthead menu modal
    most-read navbar newsletter outbrain pager pagination popular popup promo recommend related share sharing sidebar
    signup social sponsor subscribe taboola toolbar trending widget";
/// Parts of names of content containers; a name with one of these is not furniture.
const WITHIN_SITES: &str = "
    article body column content entry main page post story text";

/// Whether a block is page furniture by its site's names. Only a guess: the caller must check the rest.
pub(super) fn seems_around(tag: &StartTag<usize>) -> bool {
    if !matches!(tag.name.as_slice(), b"div" | b"section" | b"ul" | b"ol" | b"p" | b"table" | b"header" | b"dl") {
        return false;
    }
    let named = [b"class".as_slice(), b"id"].into_iter().filter_map(|name| tag.attributes.get(name));
    let names = named.map(|value| String::from_utf8_lossy(value).to_ascii_lowercase()).collect::<Vec<_>>().join(" ");
    let holds = |pieces: &str| pieces.split_ascii_whitespace().any(|piece| names.contains(piece));
    holds(AROUND_SITES) && !holds(WITHIN_SITES)
}

/// The part of a page with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    /// `<main>` or `role="main"`.
    Main,
    /// `<div class="body">`, as documentation generators write it.
    Body,
    /// `<article>`.
    Article,
}

impl Region {
    /// The narrowest region that the page declares.
    pub(super) fn of(text: &str) -> Option<Region> {
        let has = |needle: &str| text.contains(needle);
        if has("<main") || has("role=\"main\"") || has("role='main'") || has("<MAIN") {
            Some(Region::Main)
        } else if has("class=\"body\"") {
            Some(Region::Body)
        } else if has("<article") {
            Some(Region::Article)
        } else {
            None
        }
    }

    pub(super) fn opens(self, tag: &StartTag<usize>) -> bool {
        let is = |name: &[u8], value: &[u8]| {
            tag.attributes.get(name).is_some_and(|found| found.trim_ascii().eq_ignore_ascii_case(value))
        };
        match self {
            Region::Main => tag.name.as_slice() == b"main" || is(b"role", b"main"),
            Region::Body => is(b"class", b"body"),
            Region::Article => tag.name.as_slice() == b"article",
        }
    }
}
