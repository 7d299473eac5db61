use super::super::super::{Document, parse};
use super::is_document;
use run::evidence::BlockKind::{self, *};

fn read(xml: &str) -> Document {
    assert!(is_document(xml), "{xml}");
    parse(xml.as_bytes(), "page.dbk").expect("text in the document")
}

fn blocks(document: &Document) -> Vec<(BlockKind, String, &str)> {
    let headings =
        |block: &run::evidence::Block| block.headings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" / ");
    document.blocks.iter().map(|block| (block.kind, headings(block), block.text.as_str())).collect()
}

/// The text of a paragraph of DocBook, in a document with these declarations.
fn paragraph(declared: &str, xml: &str) -> String {
    let xml = format!(
        "<!DOCTYPE article PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"x.dtd\" [{declared}]><article><para>{xml}</para></article>"
    );
    read(&xml).blocks[0].text.to_string()
}

#[test]
fn a_book_of_docbook_has_its_title_its_sections_and_its_blocks() {
    let book = read(
        r#"<?xml version="1.0"?>
<!-- <para>Not this.</para> -->
<book xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink">
<info><title>The <emphasis>Lamp</emphasis> Handbook</title><author><personname>A. Person</personname></author>
<legalnotice><para>All rights.</para></legalnotice><abstract><para>How to use a lamp.</para></abstract></info>
<chapter xml:id="light"><title>Light</title>
  <para>Lamps<footnote><para>Of all kinds.</para></footnote> give light<indexterm><primary>light</primary></indexterm>.
    There are these kinds:
    <itemizedlist><listitem><para>One with oil,</para></listitem><listitem><simpara>and one without.</simpara></listitem></itemizedlist>
    They are <link xlink:href="https://x.example/">sold</link> everywhere.</para>
  <section><title>Oil</title><note><para>It burns.</para></note>
    <programlisting>if <![CDATA[a < b && c]]>:
    light()</programlisting></section>
  <procedure><title>To light it</title><step><para>Open it.</para></step><step><para>Wait.</para></step></procedure>
</chapter></book>"#,
    );
    assert_eq!(book.title, "The Lamp Handbook");
    assert_eq!(
        blocks(&book),
        [
            (Paragraph, String::new(), "How to use a lamp."),
            (Paragraph, "Light".into(), "Lamps give light. There are these kinds:"),
            (ListItem, "Light".into(), "One with oil,"),
            (ListItem, "Light".into(), "and one without."),
            (Paragraph, "Light".into(), "They are sold everywhere."),
            (Paragraph, "Light / Oil".into(), "It burns."),
            (Code, "Light / Oil".into(), "if a < b && c:\n    light()"),
            (ListItem, "Light".into(), "Open it."),
            (ListItem, "Light".into(), "Wait."),
        ]
    );
    assert_eq!(book.blocks[2].intro.as_deref(), Some("There are these kinds:"));
    assert_eq!(book.blocks[7].intro.as_deref(), Some("To light it"));
    assert_eq!((book.blocks[0].line, book.blocks[6].line), (5, 12));
}

#[test]
fn a_manual_page_is_called_as_it_is_when_formatted() {
    let page = read(
        r#"<refentry id="ls"><refentryinfo><title>ls</title><productname>tools</productname></refentryinfo>
<refmeta><refentrytitle>ls</refentrytitle>
  <manvolnum>1</manvolnum><refmiscinfo class="source">9</refmiscinfo></refmeta>
<refnamediv><refname>ls</refname><refname>dir</refname>
  <refpurpose>list what is in a folder</refpurpose></refnamediv>
<refsynopsisdiv><cmdsynopsis><command>ls</command><arg>-a</arg><arg choice="plain" rep="repeat">FILE</arg>
  <group choice="req"><arg choice="plain">-x</arg><arg choice="plain">-y</arg></group></cmdsynopsis></refsynopsisdiv>
<refsect1><title>EXIT STATUS</title><variablelist><varlistentry><term>0</term><listitem><para>All is well.</para></listitem>
</varlistentry><varlistentry><term><option>-v</option></term><term><option>--long</option></term><listitem><para>More. It says
<quote>yes</quote> and ends, see <citerefentry><refentrytitle>stat</refentrytitle><manvolnum>2</manvolnum></citerefentry>.</para>
<para>And so on.</para></listitem></varlistentry></variablelist></refsect1></refentry>"#,
    );
    assert_eq!(page.title, "ls(1): list what is in a folder");
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, String::new(), "ls, dir - list what is in a folder"),
            (Paragraph, String::new(), "ls [-a] FILE... {-x | -y}"),
            (KeyValue, "EXIT STATUS".into(), "0: All is well."),
            (Paragraph, "EXIT STATUS / -v, --long".into(), "More. It says \u{201c}yes\u{201d} and ends, see stat(2)."),
            (Paragraph, "EXIT STATUS / -v, --long".into(), "And so on."),
        ]
    );
}

#[test]
fn a_synopsis_is_written_as_it_is_in_a_program() {
    let synopsis = |xml: &str| {
        let article = read(&format!("<article><title>T</title><para>Calls:</para>{xml}</article>"));
        article.blocks[1].text.to_string()
    };
    let of_c = "<funcsynopsis><funcsynopsisinfo>#include &lt;x.h&gt;</funcsynopsisinfo><funcprototype><funcdef>int <function>f</function></funcdef>
        <paramdef>int <parameter>a</parameter></paramdef><paramdef><type>struct <structname>s</structname></type> <parameter>b</parameter></paramdef></funcprototype>
        <funcprototype><funcdef>int <function>g</function></funcdef><void/></funcprototype></funcsynopsis>";
    assert_eq!(
        synopsis(of_c).split_whitespace().collect::<Vec<_>>().join(" "),
        "#include <x.h> int f(int a, struct s b); int g(void);"
    );
    let of_php = "<methodsynopsis><type>array</type><methodname>slice</methodname>
        <methodparam><type class=\"union\"><type>int</type><type>null</type></type><parameter>a</parameter></methodparam>
        <methodparam><type>int</type><parameter>b</parameter><initializer>1</initializer></methodparam></methodsynopsis>";
    assert_eq!(synopsis(of_php), "array slice(int|null a, int b = 1)");
}

#[test]
fn the_title_of_a_program_is_none_of_its_one_manual_page() {
    let page = |pages: &str| read(&format!("<reference><title>Tools</title>{pages}</reference>")).title;
    let one = |name: &str| {
        format!(
            "<refentry><refmeta><refentrytitle>{name}</refentrytitle><manvolnum>1</manvolnum></refmeta><refnamediv><refname>{name}</refname></refnamediv><para>It is.</para></refentry>"
        )
    };
    assert_eq!(page(&one("ls")), "ls(1)");
    assert_eq!(page(&(one("ls") + &one("cp"))), "Tools");
}

#[test]
fn a_page_of_mallard_is_read_without_what_other_pages_show_of_it() {
    let page = read(
        r#"<page xmlns="http://projectmallard.org/1.0/" type="topic" id="keys">
<info><link type="guide" xref="index"/><title type="link">Keys, in short</title><credit><name>A</name></credit><desc>Of keys.</desc></info>
<title>Keys</title>
<p>Press <keyseq><key>Ctrl</key><key>N</key></keyseq> or <guiseq><gui>File</gui> <gui>New</gui></guiseq>; see also <link xref="mouse-keys#numbers"/> and <link href="man:x"><cmd>x</cmd>(7)</link>.</p>
<steps><title>Open it:</title><item><p>Go there.</p></item></steps>
<section id="s"><title>Modes</title><terms><item><title>Join</title><p>Screens are joined. Things pass from one to another.</p>
<p>They are one.</p></item><item><title>Mirror</title><p>They show the same.</p></item></terms>
<note style="tip"><title>Mind this</title><p>It is new.</p></note><code>a = 1</code>
<table><thead><tr><td><p>Key</p></td><td><p>Does</p></td></tr></thead><tbody><tr><td/><td><p>Nothing.</p></td><td>x</td></tr></tbody></table>
</section></page>"#,
    );
    assert_eq!(page.title, "Keys");
    assert_eq!(
        blocks(&page),
        [
            (Paragraph, String::new(), "Press Ctrl+N or File > New; see also numbers and x(7)."),
            (ListItem, String::new(), "Go there."),
            (Paragraph, "Modes / Join".into(), "Screens are joined. Things pass from one to another."),
            (Paragraph, "Modes / Join".into(), "They are one."),
            (KeyValue, "Modes".into(), "Mirror: They show the same."),
            (KeyValue, "Modes".into(), "Mind this: It is new."),
            (Code, "Modes".into(), "a = 1"),
            (TableRow, "Modes".into(), "| Nothing. | x"),
        ]
    );
    assert_eq!(page.blocks[1].intro.as_deref(), Some("Open it:"));
    assert_eq!(page.blocks[7].intro.as_deref(), Some("Key | Does"));
}

#[test]
fn a_topic_of_dita_is_read() {
    let topic = read(
        r#"<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd">
<task id="t"><title>Installing</title><shortdesc>It takes a minute.</shortdesc><prolog><author>A</author></prolog>
<taskbody><context>Before you begin, <b>stop</b> it.</context>
<steps><step><cmd>Run <menucascade><uicontrol>File</uicontrol><uicontrol>Run</uicontrol></menucascade>.</cmd>
<info>It runs.</info></step></steps>
<section><title>Options</title>They are few: <dl><dlentry><dt>-v</dt><dd>Says more.</dd></dlentry></dl></section>
<simpletable><sthead><stentry>Name</stentry><stentry>Size</stentry></sthead>
<strow><stentry>a</stentry><stentry>1</stentry></strow></simpletable></taskbody></task>"#,
    );
    assert_eq!(topic.title, "Installing");
    assert_eq!(
        blocks(&topic),
        [
            (Paragraph, String::new(), "It takes a minute."),
            (Paragraph, String::new(), "Before you begin, stop it."),
            (ListItem, String::new(), "Run File > Run."),
            (ListItem, String::new(), "It runs."),
            (Paragraph, "Options".into(), "They are few:"),
            (KeyValue, "Options".into(), "-v: Says more."),
            (TableRow, String::new(), "a | 1"),
        ]
    );
    assert_eq!(topic.blocks[6].intro.as_deref(), Some("Name | Size"));
}

#[test]
fn a_table_of_docbook_has_a_cell_where_there_is_an_empty_one() {
    let rows = "<thead><row><entry>A</entry><entry>B</entry></row></thead><tbody><row><entry/><entry>2</entry><entry>3</entry></row></tbody>";
    let table = format!("<informaltable><tgroup cols=\"2\"><colspec colname=\"a\"/>{rows}</tgroup></informaltable>");
    let article = read(&format!("<article><title>T</title><para>Sizes are below.</para>{table}</article>"));
    assert_eq!(blocks(&article)[1], (TableRow, String::new(), "| 2 | 3"));
    assert_eq!(article.blocks[1].intro.as_deref(), Some("A | B"));
}

#[test]
fn questions_and_glossaries_are_terms_with_what_is_said_of_them() {
    let article = read(
        "<article><title>T</title><qandaset><qandaentry><question><para>Is it <emphasis>open</emphasis>?</para></question>
         <answer><para>Yes.</para></answer></qandaentry></qandaset><glossary><title>Words</title><glossentry>
         <glossterm>lamp</glossterm><glossdef><para>A <glossterm>light</glossterm>.</para></glossdef></glossentry></glossary></article>",
    );
    let read = [(KeyValue, String::new(), "Is it open? Yes."), (KeyValue, "Words".into(), "lamp: A light.")];
    assert_eq!(blocks(&article), read);
}

#[test]
fn entities_are_what_the_document_says_they_are() {
    let declared = "<!-- ' --><!ENTITY app \"<application>Lamp</application>\"><!ENTITY % more SYSTEM 'more.ent'> %more;
        <!ENTITY both '&app; &#8212; &amp; \"more\"'><!ENTITY other SYSTEM \"file:///etc/hostname\"><!ENTITY app 'late'>";
    assert_eq!(paragraph(declared, "Use &app;."), "Use Lamp.");
    assert_eq!(paragraph(declared, "&both;&other;!"), "Lamp \u{2014} & \"more\"!");
    assert_eq!(
        paragraph("", "&lt;b&gt; &eacute; &#x201c;x&#8221;&nbsp;&notepad; AT&T"),
        "<b> \u{e9} \u{201c}x\u{201d} notepad AT&T"
    );
    // One of another file stands for its name, and for nothing where it stands for paragraphs.
    assert_eq!(paragraph("", "<keycombo>&Ctrl;<keycap>N</keycap></keycombo> by &A.Person;"), "Ctrl+N by A Person");
    let article = read("<article><title>T</title>&notice;<para>Read this.</para></article>");
    assert_eq!(blocks(&article), [(Paragraph, String::new(), "Read this.")]);
}

#[test]
fn entities_of_entities_do_no_harm() {
    let mut declared = "<!ENTITY l0 'ha ha ha ha ha ha '>".to_owned();
    for no in 1..20 {
        declared += &format!("<!ENTITY l{no} '{}'>", format!("&l{};", no - 1).repeat(10));
    }
    declared += "<!ENTITY self '&self;'><!ENTITY long 'many words '>";
    let text = paragraph(&declared, &format!("&l19; and &self; {}", "&long;".repeat(5000)));
    assert!(text.len() <= 2400, "a block is no longer than any");
    let all = super::source::prepared(&format!("<!DOCTYPE x [{declared}]><x>{}</x>", "&l19;".repeat(1000)));
    assert!(all.len() < 100_000, "{}", all.len());
}

#[test]
fn a_reference_without_a_text_is_named_by_what_it_leads_to() {
    let article = |xml: &str| {
        let xml = format!(
            "<article><title>T</title><para>See {xml}.</para><section xml:id=\"fast-way\"><info><title>The <emphasis>fast</emphasis>
             way</title></info><para id=\"p\">x</para></section><varlistentry id=\"opt\" xreflabel=\"--fast\"/></article>"
        );
        read(&xml).blocks[0].text.to_string()
    };
    for (xml, text) in [
        ("<xref linkend=\"fast-way\"/>", "See \u{201c}The fast way\u{201d}."),
        ("<xref linkend='opt'></xref>", "See --fast."),
        ("<xref linkend=\"some_other-place\"/>", "See some other place."),
        ("<ulink url=\"https://x.example/a?b=1&amp;c\"/>", "See https://x.example/a?b=1&c."),
        ("<link linkend=\"fast-way\">it</link>", "See it."),
    ] {
        assert_eq!(article(xml), text, "{xml}");
    }
}

#[test]
fn a_document_is_told_from_data() {
    for document in [
        "<!DOCTYPE chapter PUBLIC \"-//OASIS//DTD DocBook XML V4.5//EN\" \"d.dtd\" [\n<!ENTITY % x \"y\">",
        "<?xml version=\"1.0\"?>\n<!-- by -->\n<db:article xmlns:db=\"http://docbook.org/ns/docbook\">",
        "<para xmlns=\"http://docbook.org/ns/docbook\">Words.</para>",
        "<page xmlns=\"http://projectmallard.org/1.0/\" id=\"x\">",
        "<chapter id=\"x\">\n<title>X</title>\n<para>Y.</para>",
        "<!DOCTYPE concept PUBLIC \"-//OASIS//DTD DITA Concept//EN\" \"concept.dtd\"><concept id=\"x\">",
    ] {
        assert!(is_document(document), "{document}");
    }
    for data in [
        "",
        "text <para>",
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><para>",
        "<book><title>A novel</title><price>3</price></book>",
        "<xsl:stylesheet xmlns:d=\"http://docbook.org/ns/docbook\">",
        "<page><title>A wiki's</title><text>Words.</text></page>",
        "<!DOCTYPE map PUBLIC \"-//OASIS//DTD DITA Map//EN\" \"map.dtd\"><map>",
    ] {
        assert!(!is_document(data), "{data}");
    }
}
