use super::super::format::Format;
use super::super::{Document, Unread, parse};
use run::evidence::BlockKind::{self, *};

fn page(html: &str) -> Document {
    assert_eq!(Format::by_name("page.html"), Format::Html);
    parse(html.as_bytes(), "page.html").expect("text in the page")
}

fn blocks(document: &Document) -> Vec<(BlockKind, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.text.as_str())).collect()
}

#[test]
fn menus_scripts_permalinks_and_footers_are_left_out() {
    let page = page(
        "<html><head><title>Heaps &#8212; Manual 3</title><style>p{}</style></head><body>
         <nav><ul><li><a href=x>Home</a></ul></nav><div class='related' role=navigation><h3>Navigation</h3></div>
         <main><h1>Heaps<a class=headerlink href=#>\u{b6}</a></h1>
         <p>A heap is a <b>tree</b><i>s</i>.</p><script>var x = '<p>no</p>';</script>
         <p><a href=next>Next page</a></p></main>
         <footer>\u{a9} 2001 Somebody</footer>",
    );
    assert_eq!(page.title, "Heaps");
    assert_eq!(blocks(&page), [(Paragraph, "A heap is a trees.")]);
    assert!(page.blocks[0].headings.is_empty() && page.blocks[0].lead);
    assert_eq!(page.blocks[0].line, 4);
}

#[test]
fn the_menu_behind_a_word_is_not_read_into_its_sentence() {
    let page = page(
        "<h1>Log</h1><p>It is set for sockets of \"<span class='dropdown'><a class=dropdown-toggle href=#>bind</a><span class='caret'></span><ul class='dropdown-menu'><li>This keyword is available in sections:</li><li><a href=#x>Log forwarding</a></li></ul></span>\" lines.
         <span hidden>Not shown.</span><p>It takes 5 litres.",
    );
    assert_eq!(
        blocks(&page),
        [(Paragraph, "It is set for sockets of \"bind\" lines."), (Paragraph, "It takes 5 litres.")]
    );
}

#[test]
fn a_paragraph_that_is_program_text_as_a_whole_is_read_as_such() {
    let page = page(
        "<h1>T</h1><p>To run it:</p><p> <code>run <b>--it</b> {{file}}</code> </p><p><code>run</code> is a program.</p>
         <p>Call <code>run</code></p><ul><li><p><code>walk</code></p></ul><p><code>a</code> <code>b</code></p>
         <p><a href=x><code>see</code></a> is a program.</p><table><tr><td><p><code>cell</code></p><td>one</table>",
    );
    let told = [
        (Paragraph, "To run it:"),
        (Code, "run --it {{file}}"),
        (Paragraph, "run is a program."),
        (Paragraph, "Call run"),
        (ListItem, "walk"),
        (Paragraph, "a b"),
        (Paragraph, "see is a program."),
    ];
    assert_eq!(blocks(&page)[..told.len()], told);
    assert_eq!(page.blocks[1].intro.as_deref(), Some("To run it:"));
    assert!(page.blocks[told.len()..].iter().all(|block| block.kind != Code), "cells stay cells");
}

#[test]
fn struck_text_is_left_out() {
    let page = page("<p>The limit is <s>ten</s> <ins>twenty</ins>.<p><del>It is closed.</del> It is open.");
    assert_eq!(blocks(&page), [(Paragraph, "The limit is twenty."), (Paragraph, "It is open.")]);
}

#[test]
fn a_power_is_no_digit_of_its_number() {
    let page = page(
        "<p>At most 2<sup>32</sup> rows, log<sub>10</sub>, the 1<sup>st</sup> of CO<sub>2</sub>, in 10<sub>2</sub> cups<sup>4</sup>.",
    );
    assert_eq!(blocks(&page), [(Paragraph, "At most 2^32 rows, log10, the 1st of CO2, in 10_2 cups.")]);
}

#[test]
fn blocks_never_glue_words_together() {
    let page = page("<div>one</div><div>two<p>three<p>four<br>five<ul><li>six<li>seven</ul>eight");
    let words: Vec<&str> = page.blocks.iter().flat_map(|b| b.text.split(' ')).collect();
    assert_eq!(words, ["one", "two", "three", "four", "five", "six", "seven", "eight"]);
}

#[test]
fn a_list_item_knows_the_sentence_that_introduces_it() {
    let page = page(
        "<p>Much is said. Drawbacks include:</p><ul><li>It is slow.<ul><li>Very slow:</li></ul></li><li><p>It is big.</p></li></ul>",
    );
    assert_eq!(page.blocks[1].kind, ListItem);
    assert_eq!(page.blocks[1].intro.as_deref(), Some("Drawbacks include:"));
    assert_eq!(page.blocks[3].intro.as_deref(), Some("Drawbacks include:"));
    assert_eq!(page.blocks[2].intro, None);
}

#[test]
fn a_table_gives_a_row_a_block_under_its_header() {
    let page = page(
        "<table><caption>Sizes</caption><thead><tr><th>Kind<th>Size</tr></thead>
         <tr><td>small<td>1 <b>kB</b></tr><tr><td>large<td><p>1</p><p>MB</p></tr></table>",
    );
    assert_eq!(blocks(&page), [(Paragraph, "Sizes"), (TableRow, "small | 1 kB"), (TableRow, "large | 1 MB")]);
    assert_eq!(page.blocks[1].intro.as_deref(), Some("Kind | Size"));
}

#[test]
fn an_element_that_ends_where_it_begins_holds_nothing_of_what_follows() {
    for empty in ["<ul/>", "<dl/>", "<dl><dt>x</dt><dd/></dl>", "<table/>", "<h2/>", "<pre/>", "<li/>", "<a name='x'/>"]
    {
        let page = page(&format!("<p>Much is said. It says:</p>{empty}<ul><li>One.</li></ul><p>After.</p>"));
        let after = page.blocks.last().expect("the last paragraph");
        let told = (after.kind, after.text.as_str(), after.headings.len(), after.intro.as_deref());
        assert_eq!(told, (Paragraph, "After.", 0, None), "{empty}");
        let item = page.blocks.iter().find(|block| block.text == "One.").expect("the item");
        assert_eq!(item.kind, ListItem, "{empty}");
    }
    let row = page("<table><tr><th>Kind<th>Size<th>Use</tr><tr><td>small<td/><td>all</tr></table>");
    assert_eq!(blocks(&row), [(TableRow, "small | | all")]);
}

#[test]
fn a_cell_stands_in_each_row_and_column_that_it_reaches_into() {
    let head = "<table><tr><th rowspan=2>Plan<th rowspan=2>Region<th colspan=2>Limits</tr><tr><th>Users<th>Disk</tr>";
    let rows = "<tr><td rowspan=2>Pro<td>Europe<td>50<td>10 GB</tr><tr><td>Asia<td>60<td>20 GB</tr>\
        <tr><td>Basic<td colspan=2>no limit<td>5 GB</tr></table>";
    let page = page(&format!("{head}{rows}"));
    let told = ["Pro | Europe | 50 | 10 GB", "Pro | Asia | 60 | 20 GB", "Basic | no limit | no limit | 5 GB"];
    assert_eq!(blocks(&page), told.map(|row| (TableRow, row)));
    assert_eq!(page.blocks[0].intro.as_deref(), Some("Plan | Region | Limits Users | Limits Disk"));
    let many = format!(
        "<table><tr><th>A<th>B</tr><tr><td rowspan=0 colspan=9999>{}<td>b</tr>{}",
        "x".repeat(9_000),
        "<tr><td>c</tr>".repeat(5_000)
    );
    assert!(self::page(&many).bytes < 2 << 20, "what is repeated has a limit");
}

#[test]
fn a_bar_within_a_cell_does_not_part_it() {
    let page = page(
        "<table><tr><th>Option<th>Type<th>Default</tr><tr><td>timeout<td>number | null<td>30</tr><tr><td>join<td>|<td>no</table>",
    );
    assert_eq!(blocks(&page), [(TableRow, "timeout | number|null | 30"), (TableRow, "join | \"|\" | no")]);
}

#[test]
fn blank_cells_at_the_end_of_a_row_leave_no_bar() {
    let page = page(
        "<table><tr><th>Kind<th>Size<th></tr><tr><td>small<td>1 kB<td></tr><tr><td>large<td> <td></tr><tr><td><td>2 kB<td></tr></table>",
    );
    assert_eq!(blocks(&page), [(TableRow, "small | 1 kB"), (TableRow, "large"), (TableRow, "| 2 kB")]);
    assert_eq!(page.blocks[0].intro.as_deref(), Some("Kind | Size"));
}

#[test]
fn a_page_laid_out_in_a_table_is_read_as_a_page() {
    let page = page("<table><tr><td>Left<td><h2>Topic</h2><p>First.</p><pre>x = 1</pre><p>Second.</p></table>");
    let left = [(Paragraph, "Left"), (Paragraph, "First."), (Code, "x = 1"), (Paragraph, "Second.")];
    assert_eq!(blocks(&page), left);
}

#[test]
fn a_framed_note_is_its_text() {
    let page = page("<table><tr><td rowspan=2><img></td><th>Note</th></tr><tr><td><p>Mind this.</p></td></tr></table>");
    assert_eq!(blocks(&page), [(Paragraph, "Mind this.")]);
}

#[test]
fn terms_become_sections_and_short_definitions_lines() {
    let page = page(
        "<h1>Calls</h1><dl><dt>push(x)<a class=headerlink>\u{b6}</a><dd><p>Adds <i>x</i>.</p><p>Takes its time.</p>
         <dt>pop()<dd>Removes one.<dt>alone</dl><p>After.</p>",
    );
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, "Adds x."),
            (Paragraph, "Takes its time."),
            (KeyValue, "pop(): Removes one."),
            (Paragraph, "alone"),
            (Paragraph, "After.")
        ]
    );
    assert_eq!(page.blocks[0].headings[..], ["push(x)"]);
    assert!(page.blocks[2].headings.is_empty() && page.blocks[4].headings.is_empty());
}

#[test]
fn code_stays_as_it_stands() {
    let page = page("<p>See:</p><pre>\nif <span>x</span>:\n    y\n</pre>");
    assert_eq!(page.blocks[1].text, "if x:\n    y");
    assert_eq!(page.blocks[1].kind, Code);
}

#[test]
fn headings_nest_below_the_title() {
    let page = page("<title>T | Site</title><h1>T</h1><h2>A</h2><p>a</p><h3>B</h3><p>b</p><h2>C</h2><p>c</p>");
    let paths: Vec<String> = page.blocks.iter().map(|b| b.headings.join("/")).collect();
    assert_eq!(paths, ["A", "A/B", "C"]);
    assert_eq!(page.title, "T");
}

#[test]
fn items_of_rustdoc_have_their_names() {
    let item = |name: &str, said: &str| {
        format!(
            "<div class=item-row><div class='item-left module-item'><a>{name}</a></div><div class='item-right docblock-short'><p>{said}</p></div></div>"
        )
    };
    let lists = [item("Lines", "An iterator over lines."), item("Bytes", "An iterator over bytes.")].concat();
    let page = page(&format!("<h2>Structs</h2><div class=item-table>{lists}</div><p>After.</p>"));
    let texts: Vec<&str> = page.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(texts, ["Lines: An iterator over lines.", "Bytes: An iterator over bytes.", "After."]);
}

#[test]
fn a_page_that_only_leads_to_another_has_no_text() {
    let leads = "<meta http-equiv=Refresh content=\"0; URL='../doc.html'\">";
    let moved = format!("<title>Moved</title>{leads}<p>Redirecting to <a href=../doc.html>doc.html</a>.</p>");
    assert!(matches!(parse(moved.as_bytes(), "a.html"), Err(Unread::Elsewhere)));
    let renewed = format!("{leads}<p>{}</p>", "The prices of today, which are renewed each minute. ".repeat(20));
    assert!(parse(renewed.as_bytes(), "a.html").is_ok());
}

#[test]
fn a_menu_that_is_never_closed_does_not_swallow_the_page() {
    let page = page("<nav><a>x</a><p>The whole page stands here, and there is enough of it to be worth reading.");
    assert!(page.blocks.iter().any(|block| block.text.starts_with("The whole page")));
}

#[test]
fn what_leads_through_a_manual_is_no_text() {
    let page = page(
        "<p>Next: <a>Cells</a>, Up: <a>Arrays</a> [<a>Contents</a>][<a>Index</a>]</p><table><tr><td>[<a>&lt;&lt;</a>]<td>[<a>Up</a>]<td>[?]</table><dl><dt><span>: </span><b>show</b> (c)<a> &para;</a><dd>It shows what a cell holds.<dt>x<dd><p>y</dl><p>See <a>Cells</a>, <a>Arrays</a>.</p>",
    );
    let texts: Vec<&str> = page.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(texts, ["show (c): It shows what a cell holds.", "x: y", "See Cells, Arrays."]);
}

#[test]
fn deep_nesting_and_stray_tags_are_survived() {
    let mut html = "<div><ul><table><dl>".repeat(20_000);
    html.push_str("deep</table></ul>");
    html.push_str(&"</b></p></li></nav>".repeat(20_000));
    assert!(page(&html).blocks.iter().any(|block| block.text.contains("deep")));
}

fn site(html: &str) -> Vec<String> {
    let document = super::super::parse_page(html.as_bytes(), super::super::PageFormat::Html, None, "x").expect("text");
    document.blocks.iter().map(|block| block.text.to_string()).collect()
}

#[test]
fn what_surrounds_an_article_on_some_site_is_left_out() {
    let article = "<p>A loaf of rye bread rises for hours before it goes into the oven, and cools for a day.".repeat(8);
    let told = site(&format!(
        "<div class='cookie-notice'><p>We use cookies.</div><div id=social-share><p>Tell your friends.</div>
         <div class='article-body comments-on'>{article}
         <ul><li><a href=a>Ten more loaves</a> (new)<li>Rye is <a href=b>a grain</a> of the north.</ul></div>
         <section class=related-stories><p>Cakes that you will like.</section><div id=comments><p>First!</div>"
    ));
    assert!(told.iter().any(|block| block == "Rye is a grain of the north."), "{told:?}");
    for never in ["cookies", "friends", "Ten more", "Cakes", "First!"] {
        assert!(!told.iter().any(|block| block.contains(never)), "{never}: {told:?}");
    }
}

#[test]
fn a_page_whose_text_goes_by_such_a_name_is_read_all_the_same() {
    let told = site(&format!("<div class=promo-wrap><p>{}</div><p>Short.", "Bread is baked. ".repeat(30)));
    assert!(told[0].starts_with("Bread is baked."), "{told:?}");
}

#[test]
fn a_formula_leaves_a_mark_so_that_nobody_takes_the_sentence_for_whole() {
    let page = page(
        "<p>The sum is <span class=mwe-math-element><span style='display: none'><math><mi>x</mi></math></span><img></span>
         and <math><mi>y</mi></math>.",
    );
    assert_eq!(page.blocks[0].text, "The sum is \u{25a1} and \u{25a1}.");
}

#[test]
fn sentences_in_preformatted_text_are_read_as_sentences() {
    let page = page(
        "<h1>Manual</h1><h2>mode</h2><pre>Sets the mode of the server. It cannot be changed
while the server runs.

    server one 10.0.0.1:80
    server two 10.0.0.2:80

It is one of these:

tcp     The server passes on what comes in. Nothing
        of it is looked at.

http    The server reads each request before it
        passes it on. That takes longer.
</pre><p>After it.</p>",
    );
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, "Sets the mode of the server. It cannot be changed while the server runs."),
            (Code, "server one 10.0.0.1:80\nserver two 10.0.0.2:80"),
            (Paragraph, "It is one of these:"),
            (Paragraph, "The server passes on what comes in. Nothing of it is looked at."),
            (Paragraph, "The server reads each request before it passes it on. That takes longer."),
            (Paragraph, "After it."),
        ]
    );
    assert_eq!(page.blocks[4].headings[..], ["mode", "http"]);
    assert_eq!(page.blocks[5].headings[..], ["mode"]);
}

#[test]
fn a_heading_that_leads_back_to_the_contents_is_a_heading_and_a_mark_that_leads_back_is_none() {
    let page = page(
        "<title>FAQ &#8212; Manual</title><h1><a class='toc-backref' href='#1' role='doc-backlink'>FAQ</a></h1>
         <h2><a class='toc-backref' href='#2' role='doc-backlink'>Why?</a></h2>
         <p><a role='doc-backlink' href='#3'>1</a>Because.</p>",
    );
    assert_eq!((page.title.as_str(), &page.blocks[0].headings[..]), ("FAQ", &[text::Clean::from("Why?")][..]));
    assert!(page.blocks.iter().all(|block| !block.text.contains('1')), "{:?}", page.blocks);
}

#[test]
fn a_block_within_preformatted_text_is_a_line_of_its_own() {
    let page = page("<pre><div>Send it all to TLS</div><code>redirect scheme https if !{ ssl }\n</code></pre>");
    assert_eq!(blocks(&page), [(Code, "Send it all to TLS\nredirect scheme https if !{ ssl }")]);
}

#[test]
fn code_in_preformatted_text_leaves_the_paragraph_behind_it_as_it_is() {
    for behind in
        ["Then run it.", "Ünü\u{2014}then run it, with more words than the code above has letters in its one line."]
    {
        let html = format!("<pre><code>cargo install program --locked --path .</code></pre><p>{behind}</p>");
        let page = page(&html);
        assert_eq!(blocks(&page), [(Code, "cargo install program --locked --path ."), (Paragraph, behind)]);
    }
}

#[test]
fn program_text_and_output_in_preformatted_text_stay_code() {
    for code in [
        "if it is open:\n    close(it)  # it was open until now\nelse:\n    print('It is not open now.')",
        "$ ls -l\ntotal 8\n-rw-r--r-- 1 root root 12 a file that has a long name.",
        "def is_open(it):\n    # It is open as long as one of those that opened it has not closed it.\n    return it.open",
        "Save the state in a variable.\nRelease the lock that is held.\n... Do what blocks ...\nTake the lock again.",
        "# What is copied, and where to\nsource = /home\ntarget = /backup",
    ] {
        let page = page(&format!("<p>See:</p><pre>{code}</pre>"));
        assert_eq!(page.blocks.iter().skip(1).map(|block| block.kind).collect::<Vec<_>>(), [Code], "{code}");
    }
}

#[test]
fn the_row_above_the_text_on_an_option_is_the_head_of_its_entry() {
    let page = page(
        "<h1>Options</h1><p>They are these.</p>
         <table><tr><td><b>size_limit</b></td><td>Use: <i>main</i></td><td>Type: <i>string</i></td></tr></table>
         <p>This option limits the size.</p>
         <table><tr><td>spool</td><td>Use: main</td><td>Type: path</td></tr></table><p>Where mail is kept.</p>
         <h2>Further</h2><p>More is said here.</p>
         <table><tr><td>Two words</td><td>Use: main</td><td>Type: path</td></tr></table>",
    );
    let told: Vec<(String, &str)> =
        page.blocks.iter().map(|block| (block.headings.join(" / "), block.text.as_str())).collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(headings, text)| (headings.as_str(), *text)).collect();
    assert_eq!(
        told,
        [
            ("", "They are these."),
            ("size_limit", "Use: main"),
            ("size_limit", "Type: string"),
            ("size_limit", "This option limits the size."),
            ("spool", "Use: main"),
            ("spool", "Type: path"),
            ("spool", "Where mail is kept."),
            ("Further", "More is said here."),
            ("Further", "Two words | Use: main | Type: path"),
        ]
    );
}

#[test]
fn the_title_of_a_note_is_no_heading_of_what_comes_after_it() {
    let page =
        page("<h1>Locks</h1><h2>Kinds</h2><div class=note><h3>Note</h3><p>Take one.</p></div><p>There are two.</p>");
    assert!(page.blocks.iter().all(|block| block.headings[..] == ["Kinds"]), "{:?}", page.blocks);
}

#[test]
fn lists_of_tables_and_the_index_of_a_book_are_no_text() {
    let page = page(
        "<h1>Book</h1><div class='list-of-tables'><p>List of Tables</p><dl><dt>6.12. Servers</dt></dl></div>
         <table class=index-cp><tr><td></td><td>Server:</td><td>Kinds</td></tr></table><p>It is text.</p><div class=index><div class=indexdiv><h3>A</h3><dl><dt>apt, Servers</dt></dl></div></div>",
    );
    assert_eq!(blocks(&page), [(Paragraph, "It is text.")]);
}

#[test]
fn the_mark_of_a_link_that_leads_out_is_no_text() {
    let page = page(
        "<h1>T</h1><p>It is a projection<a href='http://example.org/a'>[*]</a> of the kind <a href=b>b</a>.</p><p>The sign [*] stays.</p>",
    );
    assert_eq!(blocks(&page), [(Paragraph, "It is a projection of the kind b."), (Paragraph, "The sign [*] stays.")]);
}
