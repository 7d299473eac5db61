//! The names read from a question, in tables; and those that are not read.

use super::*;

/// Things, aspects, years of a question, each "a | b".
fn read(question: &str) -> (String, String, String) {
    let named = Named::read(question);
    let told = |of: &[Clean]| of.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(" | ");
    (told(&named.things), told(&named.sides), told(&named.years))
}

#[test]
fn things_and_sides_are_told_apart() {
    for (question, things, sides) in [
        ("Compare the licence and the cost of pgvector and Qdrant", "pgvector | Qdrant", "licence | cost"),
        ("Compare the trade-offs of pgvector, Qdrant and Pinecone", "pgvector | Qdrant | Pinecone", ""),
        ("compare pgvector and qdrant", "pgvector | qdrant", ""),
        (
            "Compare pgvector, Qdrant, Pinecone, Milvus and Weaviate",
            "pgvector | Qdrant | Pinecone | Milvus | Weaviate",
            "",
        ),
        ("Compare Kafka with RabbitMQ in terms of cost and speed", "Kafka | RabbitMQ", "cost | speed"),
        (
            "Compare Kafka with RabbitMQ with regard to cost, speed and licence.",
            "Kafka | RabbitMQ",
            "cost | speed | licence",
        ),
        ("Compare pgvector and Qdrant on cost", "pgvector | Qdrant", "cost"),
        ("Compare pgvector and Qdrant: licence, cost, filtering", "pgvector | Qdrant", "licence | cost | filtering"),
        ("Compare pgvector and Qdrant (licence, cost)", "pgvector | Qdrant", "licence | cost"),
        ("pgvector vs Qdrant", "pgvector | Qdrant", ""),
        ("differnce betwen pgvector and Qdrant", "pgvector | Qdrant", ""),
        (
            "Compare pgvector (the extension), Qdrant (self-hosted) and Milvus (cluster)",
            "pgvector | Qdrant | Milvus",
            "",
        ),
        ("Compare pgvector; Qdrant; Pinecone", "pgvector | Qdrant | Pinecone", ""),
        ("Which of pgvector, Qdrant, Pinecone, Milvus is cheapest?", "pgvector | Qdrant | Pinecone | Milvus", ""),
        ("How do backup, replication, scaling and cost work in Qdrant?", "backup | replication | scaling | cost", ""),
        ("pgvector vs. Qdrant: cost and licence", "pgvector | Qdrant", "cost | licence"),
        ("Comparing the memory of pgvector, Qdrant and Pinecone", "pgvector | Qdrant | Pinecone", "memory"),
        ("Compare the licence of pgvector and the licence of Qdrant", "pgvector | Qdrant", "licence"),
        ("Compare the advantages and disadvantages of tea and coffee", "tea | coffee", ""),
        ("Compare the Bank of England and the Federal Reserve", "Bank of England | Federal Reserve", ""),
        ("What is the difference between a list and a tuple in Python?", "list | tuple", ""),
        (
            "What are the differences between main, contrib and non-free in the Debian archive?",
            "main | contrib | non-free",
            "",
        ),
        ("What are the advantages and disadvantages of tea compared with coffee for students?", "tea | coffee", ""),
        ("When should I use bus, train or plane in Europe?", "bus | train | plane", ""),
        ("Should I use Kafka or RabbitMQ for event sourcing?", "Kafka | RabbitMQ", ""),
        ("Which is cheaper: pgvector, Qdrant or Pinecone?", "pgvector | Qdrant | Pinecone", ""),
        ("maildir, mbox or dbox: which mailbox format should I use?", "maildir | mbox | dbox", ""),
        ("rsync or tar: what is better for backups?", "rsync | tar", ""),
        ("hourly, daily or weekly - which should I use?", "hourly | daily | weekly", ""),
        ("Which should I use, hourly, daily or weekly?", "hourly | daily | weekly", ""),
        ("Which of pgvector, Qdrant and Pinecone is the cheapest?", "pgvector | Qdrant | Pinecone", ""),
        ("Compare apt, apt-get and aptitude: which one should I use for what?", "apt | apt-get | aptitude", ""),
        ("Compare Visual Studio Code, Vim and Emacs", "Visual Studio Code | Vim | Emacs", ""),
        ("Compare the vector databases pgvector, Qdrant and Pinecone", "pgvector | Qdrant | Pinecone", ""),
        (
            "What are the licence and the cost of pgvector, Qdrant and Pinecone?",
            "pgvector | Qdrant | Pinecone",
            "licence | cost",
        ),
        ("What is the licence of Qdrant?", "Qdrant", "licence"),
        ("What is the population and area of Norway?", "Norway", "population | area"),
        ("How do pgvector and Qdrant filter results?", "pgvector | Qdrant", ""),
        ("What do pgvector, Qdrant and Pinecone cost?", "pgvector | Qdrant | Pinecone", ""),
        ("Do pgvector and Qdrant support transactions?", "pgvector | Qdrant", ""),
        (
            "How do pgvector, Qdrant and Pinecone differ in terms of replication?",
            "pgvector | Qdrant | Pinecone",
            "replication",
        ),
        ("Tell me about pgvector, Qdrant and Pinecone", "pgvector | Qdrant | Pinecone", ""),
        ("Describe these three databases: pgvector, Qdrant and Pinecone", "pgvector | Qdrant | Pinecone", ""),
        ("Summarise what is known: pgvector", "", ""),
        ("What are Depends, Recommends and Suggests?", "Depends | Recommends | Suggests", ""),
        ("Compare how pgvector and Qdrant store vectors", "pgvector | Qdrant", ""),
        ("Compare C++ and C#", "C++ | C#", ""),
        ("Compare the free, pro and team plans of Ferrobox", "free plans | pro plans | team plans", ""),
        ("Compare the licence and the cost of Ferrobox", "", ""),
        ("whats the difference between hard and symbolic links?", "hard links | symbolic links", ""),
        (
            "whats the difference between the old and new command line, and do I have to upgrade both ends",
            "old command line | new command line",
            "",
        ),
        ("Compare local and global variables, and are they slow?", "local variables | global variables", ""),
        ("difference between a persistent and a transient domain", "persistent domain | transient domain", ""),
        ("Compare oats and green lentils", "oats | green lentils", ""),
        ("kernel datapath vs DPDK, which one is faster and what does it need", "kernel datapath | DPDK", ""),
        ("OVS with DPDK vs kernel datapath, which one is faster?", "DPDK | kernel datapath", ""),
        ("hard links vs symbolic links", "hard links | symbolic links", ""),
        ("git: partial clone vs shallow clone, what do I lose with each?", "partial clone | shallow clone", ""),
        ("which is safer, hard links vs symbolic links", "hard links | symbolic links", ""),
        ("performance of pgvector vs Qdrant, and what do they cost?", "pgvector | Qdrant", ""),
        ("Compare Qdrant with pgvector and tell me which to use", "Qdrant | pgvector", ""),
        ("Compare Qdrant and Pinecone, then recommend one", "Qdrant | Pinecone", ""),
        ("Compare Qdrant with Pinecone and explain the differences", "Qdrant | Pinecone", ""),
        ("Compare pgvector and Qdrant and suggest the best for small teams", "pgvector | Qdrant", ""),
        (
            "Compare pgvector with Qdrant and Pinecone on cost, filtering and backups, and give a recommendation",
            "pgvector | Qdrant | Pinecone",
            "cost | filtering | backups",
        ),
        ("Compare Tell Me More and Rosetta", "Tell Me More | Rosetta", ""),
        ("Compare the cost of Pinecone to that of Qdrant", "Pinecone | Qdrant", "cost"),
        ("In terms of cost, how do Qdrant and Pinecone compare?", "Qdrant | Pinecone", "cost"),
        ("In terms of cost and speed, compare Qdrant and Pinecone", "Qdrant | Pinecone", "cost | speed"),
        ("Regarding backups: what do Qdrant and Pinecone offer?", "Qdrant | Pinecone", "backups"),
        ("Compare Kafka with RabbitMQ in terms of service and cost", "Kafka | RabbitMQ", "service | cost"),
        ("What are the top 3 risks of Pinecone?", "Pinecone", ""),
        ("Compare pgvector 0.7 and 0.8", "pgvector 0.7 | pgvector 0.8", ""),
        ("Should I use Kafka or several brokers?", "Kafka | several brokers", ""),
        ("What should I choose for RAG: pgvector, Pinecone or Qdrant?", "pgvector | Pinecone | Qdrant", ""),
        ("What is better for a startup: Qdrant or Pinecone?", "Qdrant | Pinecone", ""),
        ("Are Qdrant and Pinecone in the cloud?", "Qdrant | Pinecone", ""),
        ("Is Qdrant or Pinecone cheaper?", "Qdrant | Pinecone", ""),
        ("How does pgvector and Qdrant handle restarts?", "pgvector | Qdrant", ""),
        ("How do Qdrant shards and Pinecone pods differ?", "Qdrant shards | Pinecone pods", ""),
    ] {
        let read = read(question);
        assert_eq!((read.0.as_str(), read.1.as_str()), (things, sides), "{question}");
    }
}

#[test]
fn what_could_mean_several_things_names_nothing() {
    for question in [
        "What is a train?",
        "What is the global interpreter lock and what does it change for threads?",
        "Why is 0.1 + 0.2 not exactly 0.3 in Python, and what can I do about it?",
        "How do I create a virtual environment in Python and install packages into it?",
        "Which logging level should I use for each kind of event in Python?",
        "How does error handling with exceptions work in Python?",
        "What are the rules for permissions and ownership of the files in a Debian package?",
        "What is a conffile, and what happens to configuration files when a Debian package is upgraded, removed or purged?",
        "Which kind of data belongs in each directory under /var?",
        "How does a Debian system start up, from power-on to the running system?",
        "How does Python manage memory, and when is an object freed?",
        "How do I set up SSH so that I can log in to a remote Debian machine with a key instead of a password?",
        "What are the advantages and the risks of running Debian testing or unstable instead of stable?",
        "How do I keep a sourdough starter alive and bake bread with it?",
        "How do I set the keyboard layout and the language of the console?",
        "Why do threads and processes exist?",
        "Compare",
        "compare and",
        "???",
        "",
        "Vergleiche pgvector und Qdrant",
        "Are Pinecone's backups automatic or manual?",
        "Is Qdrant open or closed in this release?",
        "Should I use one index or several?",
        "What's new in pgvector 0.8.0 compared to 0.7.0?",
        "What is the best index for 1 million vectors?",
        "What is forbidden in terms of service?",
        "What do the Terms of Service say?",
        "Is Qdrant faster than 10 requests a second?",
        "Is the table larger than the index?",
        "Why is my query slower than yesterday?",
        "Why is Pinecone more expensive than Qdrant?",
        "Is it better than before?",
        "How does a write differ from what is read?",
        "When should I use the index over the network?",
        "How does Pinecone limit metadata and filters?",
        "How does Qdrant handle snapshots and restarts?",
        "How does chrony use refclock and NTS?",
        "How does git handle renames and copies?",
        "How does Qdrant compress vectors and payloads?",
        "How does Qdrant compress and shard data?",
        "Can Qdrant store vectors and payloads?",
        "Can Qdrant compress vectors and payloads?",
    ] {
        let named = Named { clauses: Vec::new(), ..Named::read(question) };
        assert_eq!(named, Named::default(), "{question}");
    }
}

#[test]
fn things_that_are_set_against_each_other_are_compared() {
    for (question, things, sides) in [
        ("How does Qdrant compare to pgvector?", "Qdrant | pgvector", ""),
        ("How does pgvector stack up against Qdrant in terms of cost?", "pgvector | Qdrant", "cost"),
        ("Is Qdrant better than pgvector?", "Qdrant | pgvector", ""),
        ("is pgvector much faster than qdrant", "pgvector | qdrant", ""),
        ("Is Pinecone more expensive than Qdrant?", "Pinecone | Qdrant", ""),
        ("How is pgvector different from Qdrant?", "pgvector | Qdrant", ""),
        ("How do Qdrant's filters differ from Pinecone's?", "Qdrant's filters | Pinecone's filters", ""),
        ("When should I choose pgvector over Pinecone?", "pgvector | Pinecone", ""),
        ("Why would I pick Qdrant instead of Pinecone?", "Qdrant | Pinecone", ""),
        ("What is the difference in cost between Qdrant and Pinecone?", "Qdrant | Pinecone", "cost"),
        ("Between Qdrant and Pinecone, which is cheaper?", "Qdrant | Pinecone", ""),
        ("What's the diff between Qdrant & pgvector", "Qdrant | pgvector", ""),
        ("Please compare pgvector & qdrant", "pgvector | qdrant", ""),
        ("How do Qdrant and Pinecone compare?", "Qdrant | Pinecone", ""),
    ] {
        let found = read(question);
        assert_eq!((found.0.as_str(), found.1.as_str()), (things, sides), "{question}");
        assert!(Named::read(question).compares, "{question}");
    }
}

#[test]
fn years_are_read_where_they_are_years() {
    for (question, years) in [
        ("What changed in 2019, 2020 and 2021?", "2019 | 2020 | 2021"),
        ("What was released in 2021?", "2021"),
        ("Compare pgvector and Qdrant in 2022 and 2023", "2022 | 2023"),
        ("How do I serve 2000 users?", ""),
        ("What is new since 2020?", "2020"),
        ("Is port 1984 of any use?", ""),
        ("Which limits hold for 2048 dimensions and for 4096?", ""),
        ("How has Berlin changed from 1945 to 1990?", ""),
    ] {
        assert_eq!(read(question).2, years, "{question}");
    }
    let span = Named::read("How has Berlin changed from 1945 to 1990?").span;
    assert_eq!(span, Some(("1945".into(), "1990".into())));
    let span = Named::read("What happened between 2021 and 2024 with pgvector?").span;
    assert_eq!(span, Some(("2021".into(), "2024".into())));
    assert_eq!(read("Compare pgvector and Qdrant in 2022 and 2023").0, "pgvector | Qdrant");
}

#[test]
fn a_number_of_things_that_are_not_named_is_read_and_one_of_named_things_is_theirs() {
    for (question, number) in [
        ("Compare three vector databases", Some(3)),
        ("Compare the 4 largest vector databases in terms of cost", Some(4)),
        ("Compare three vector databases: pgvector, Qdrant and Pinecone", None),
        ("Compare two-factor authentication", None),
        ("What happened in three days?", None),
    ] {
        assert_eq!(Named::read(question).number, number, "{question}");
    }
}

#[test]
fn a_list_is_read_up_to_as_many_things_as_a_plan_has_tasks_and_the_others_are_kept_apart() {
    for (forms, ends) in [("Compare the caches of ", ""), ("What are the limits of ", "?"), ("How do ", " store data?")]
    {
        for (number, read, left_out) in [(20, 20, 0), (21, 21, 0), (40, 40, 0), (41, 40, 1), (60, 40, 20)] {
            let names: Vec<String> = (1..=number).map(|n| format!("Cache{n}")).collect();
            let [before @ .., last] = &names[..] else { panic!("{names:?}") };
            let named = Named::read(&format!("{forms}{} and {last}{ends}", before.join(", ")));
            assert_eq!((named.things.len(), named.left_out.len()), (read, left_out), "{forms}{number}");
            let all: Vec<&str> = named.things.iter().chain(&named.left_out).map(|name| name.as_str()).collect();
            assert_eq!(all, names, "{forms}");
        }
    }
}

#[test]
fn the_questions_of_a_list_are_named_one_by_one_and_nothing_within_them() {
    let named = Named::read("1. What is pgvector?\n2. Compare Qdrant and Pinecone\n3. What does it cost?");
    assert_eq!(named.questions.len(), 3);
    assert_eq!((named.things.len(), named.sides.len()), (0, 0));
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_read(text in "(compare |what is |of |and |or |, |: |in |[12][0-9]{3} |pgvector |Qdrant |É|ß|İ|\\PC){0,20}") {
        let named = Named::read(&text);
        proptest::prop_assert!(named.things.iter().chain(&named.sides).all(|one| !one.trim().is_empty()));
        proptest::prop_assert!(named.things.len() <= 40);
    }
}

proptest::proptest! {
    #[test]
    fn letters_that_change_their_length_with_their_case_can_be_read(
        text in "(compare |how do | versus | and |, | or | in terms of |difference between |is | than |[\u{130}\u{1e9e}\u{212a}\u{212b}\u{23a}éa ]){0,20}"
    ) {
        let _ = Named::read(&text);
    }
}
