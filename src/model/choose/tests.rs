use super::*;
use crate::discover::{Served, Serving, providers};
use run::Money;
use run::price::Rates;
use run::team::StructuredOutput;
use run::thinking::Effort;

fn prompted() -> Vec<PromptedRole> {
    let seat = |(role, tools): (&str, bool)| PromptedRole {
        role: Role::new(role),
        tools,
        answer_tokens: None,
        thinking: Thinking::default(),
        model: None,
        strength: None,
    };
    [("planner", true), ("researcher", true), ("writer", false), ("reviewer", false)].map(seat).into()
}

fn found(keys: &[&str]) -> Vec<Provider> {
    let env = |name: &str| keys.contains(&name).then(|| "sk-canary-0123456789".to_owned());
    providers(&Config::default(), &env)
}

fn local(name: &str, models: &[(&str, bool)]) -> Vec<Provider> {
    let mut found = found(&["OPENAI_API_KEY"]);
    let provider = found.iter_mut().find(|provider| provider.name == name).unwrap();
    let models =
        models.iter().map(|(name, loaded)| Served { name: (*name).into(), context: Some(8_192), loaded: *loaded });
    provider.free = true;
    provider.server = Server::There(Serving { kind: "ollama", models: models.collect(), ..Serving::default() });
    found
}

fn choose_from(found: &[Provider], args: &[&str], config: &str) -> Result<Vec<Choice>, String> {
    let config: Config = toml::from_str(config).unwrap();
    let args: Vec<ModelArg> = args.iter().map(|arg| arg.parse().unwrap()).collect();
    let prices = Prices::built_in();
    let today = "2026-11-21".parse().unwrap();
    let available = Available { providers: found, config: &config, prices: &prices, today };
    choose(&prompted(), &args, available).map_err(|CannotChoose(why)| why)
}

fn models(choices: &[Choice]) -> Vec<(&str, String)> {
    choices.iter().map(|choice| (choice.role.as_str(), choice.model.id.to_string())).collect()
}

#[test]
fn what_is_there_is_used_unless_something_else_is_said() {
    let both = found(&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    let choices = choose_from(&both, &[], "").unwrap();
    assert_eq!(choices.len(), 4);
    assert_eq!(choices[1].model.id.to_string(), "anthropic/claude-haiku-5-5");
    assert_eq!(choices[1].why, "ANTHROPIC_API_KEY is set: the default model for the researcher");
    assert_eq!(choose_from(&found(&[]), &[], "").unwrap(), []);
    let one = choose_from(&both, &[], "[models]\nwriter = \"openai\"").unwrap();
    assert_eq!(models(&one), [("writer", "openai/gpt-6.1-terra".to_owned())], "what is said is all there is");
    assert_eq!(choose_from(&both, &[], "[models]\ndefault = \"none\"").unwrap(), []);
    let without = choose_from(&both, &["openai", "writer=none"], "").unwrap();
    assert_eq!(without.len(), 3, "{without:?}");
}

#[test]
fn behind_commas_stand_those_who_stand_in_and_each_is_of_a_provider_and_has_a_price() {
    let both = found(&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    let choices = choose_from(&both, &["writer=anthropic/claude-opus-5, openai"], "").unwrap();
    let [choice] = &choices[..] else { panic!("{choices:?}") };
    let models: Vec<String> = choice.models().map(|model| model.id.to_string()).collect();
    assert_eq!(models, ["anthropic/claude-opus-5", "openai/gpt-6.1-terra"]);
    let why = choose_from(&both, &["writer=anthropic, opnai"], "").unwrap_err();
    assert!(why.contains("Did you mean openai?"), "{why}");
    let why = choose_from(&both, &["writer=anthropic, openai/nobody-knows"], "").unwrap_err();
    assert!(why.contains("price"), "{why}");
}

#[test]
fn a_model_that_is_not_on_its_server_is_left_out_where_another_is_named_with_it() {
    let there = local("ollama", &[("a", true)]);
    for named in ["writer=ollama/gone, openai", "writer=openai, ollama/gone"] {
        let choices = choose_from(&there, &[named], "").unwrap();
        assert_eq!(models(&choices), [("writer", "openai/gpt-6.1-terra".to_owned())], "{named}");
        assert_eq!(choices[0].fallbacks, [], "{named}");
        let notes = choices[0].notes.join("; ");
        assert!(notes.contains("no model `gone`") && notes.ends_with("it is left out"), "{named}: {notes}");
    }
    for named in ["writer=ollama/gone", "writer=ollama/gone, ollama/away"] {
        assert!(choose_from(&there, &[named], "").unwrap_err().contains("no model `gone`"), "{named}");
    }
}

#[test]
fn a_server_is_used_unasked_only_if_something_says_where_it_is() {
    let guessed = local("ollama", &[("a", true)]);
    let choices = choose_from(&guessed, &[], "").unwrap();
    assert_eq!(choices[0].model.id.provider.as_str(), "openai", "its key is there");
    let mut named = local("ollama", &[("a", true)]);
    named.retain(|provider| provider.name == "ollama");
    assert_eq!(choose_from(&named, &[], "").unwrap(), []);
    named[0].endpoint.as_mut().unwrap().base_from = Some("OLLAMA_HOST".into());
    let choices = choose_from(&named, &[], "").unwrap();
    assert_eq!(choices[0].model.id.to_string(), "ollama/a");
    assert_eq!(choices[0].why, "OLLAMA_HOST is set: its only model");
    named[0].server = Server::Absent;
    assert_eq!(choose_from(&named, &[], "").unwrap(), []);
}

#[test]
fn a_server_that_settings_name_and_that_is_not_used_is_told_with_the_reason() {
    let unused_of = |set: &str, env: &[(&str, &str)], server: Server| {
        let config: Config = toml::from_str(set).unwrap();
        let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let mut found = providers(&config, &env);
        found.iter_mut().filter(|known| known.set_by.is_some()).for_each(|known| known.server = server.clone());
        let available = Available {
            providers: &found,
            config: &config,
            prices: &Prices::built_in(),
            today: "2026-11-21".parse().unwrap(),
        };
        unused(&prompted(), available).join("\n")
    };
    let serves = |models: &[&str]| {
        let models = models.iter().map(|name| Served { name: (*name).into(), context: None, loaded: false });
        Server::There(Serving { kind: "vllm", models: models.collect(), ..Serving::default() })
    };
    let mine = "[providers.mine]\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    let why = unused_of(&format!("{mine}free = true"), &[], serves(&["m1", "m2"]));
    assert_eq!(
        why,
        "mine is not used, though [providers.mine] of config.toml names it: mine has several models; name one, as in \
         --model mine/m1: m1, m2"
    );
    assert_eq!(unused_of(&format!("{mine}free = true"), &[], serves(&["m1"])), "", "its only model is used");
    assert!(unused_of(mine, &[], serves(&["m1"])).contains("the price of mine/m1 is not known"));
    assert!(unused_of("[providers.mine]\nlike = \"openia\"", &[], Server::Unseen).contains("did you mean openai?"));
    let silent = unused_of("", &[("OLLAMA_HOST", "127.0.0.1:9")], Server::Absent);
    assert!(silent.contains("though OLLAMA_HOST names it: no Ollama answers at http://127.0.0.1:9/v1"), "{silent}");
    let wrong = unused_of("", &[("OPENAI_BASE_URL", "localhost:1")], Server::Unseen);
    assert!(wrong.starts_with("openai is not used, though OPENAI_BASE_URL names it: "), "{wrong}");
    assert_eq!(unused_of("", &[("XAI_API_KEY", "sk-canary-0123456789")], Server::Unseen), "", "a key alone");
}

#[test]
fn a_provider_alone_means_what_is_usual_with_it() {
    let found = found(&["ANTHROPIC_API_KEY"]);
    let choices = choose_from(&found, &["anthropic"], "").unwrap();
    let expected = [
        ("planner", "anthropic/claude-opus-5-5"),
        ("researcher", "anthropic/claude-haiku-5-5"),
        ("writer", "anthropic/claude-sonnet-5-5"),
        ("reviewer", "anthropic/claude-opus-5-5"),
    ];
    assert_eq!(models(&choices), expected.map(|(role, model)| (role, model.to_owned())));
    assert_eq!(choices[1].why, "--model anthropic: the default model for the researcher");
    let model = &choices[2].model;
    assert_eq!(
        (model.max_tokens, model.context, model.structured_output),
        (8_000, Some(1_000_000), StructuredOutput::Schema)
    );
    assert_eq!(model.rates.as_ref().unwrap().output, 10_000_000);
}

#[test]
fn what_is_said_comes_before_what_is_set_and_what_is_said_of_one_before_what_is_said_of_all() {
    let found = found(&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    let config =
        "[models]\ndefault = \"openai/gpt-6-luna\"\nwriter = { model = \"openai/gpt-6-sol\", max_tokens = 900 }\n";
    let set = choose_from(&found, &[], config).unwrap();
    assert_eq!(models(&set)[2], ("writer", "openai/gpt-6-sol".to_owned()));
    assert_eq!((set[2].model.max_tokens, set.len()), (900, 4));
    assert_eq!(set[0].why, "`default` in [models] of config.toml");
    let said = choose_from(&found, &["reviewer=anthropic/claude-opus-5", "anthropic"], config).unwrap();
    assert_eq!(models(&said)[2].1, "anthropic/claude-sonnet-5-5");
    assert_eq!((models(&said)[3].1.as_str(), said[2].model.max_tokens), ("anthropic/claude-opus-5", 900));
    let one = choose_from(&found, &["writer=openai/gpt-6-sol"], "").unwrap();
    assert_eq!(models(&one), [("writer", "openai/gpt-6-sol".to_owned())], "the others stay as they are");
}

#[test]
fn a_local_server_is_asked_for_the_model_it_has_loaded_and_costs_nothing() {
    let choices =
        choose_from(&local("ollama", &[("qwen3:8b", true), ("tiny:latest", false)]), &["ollama"], "").unwrap();
    assert_eq!(choices[0].model.id.to_string(), "ollama/qwen3:8b");
    assert!(choices[0].why.contains("the one that is loaded"));
    assert_eq!(choices[0].model.rates, Some(Rates::free()));
    assert_eq!(choices[2].model.room(), 4_096, "half of its context");
    let tagged = choose_from(&local("ollama", &[("tiny:latest", false)]), &["ollama/tiny"], "").unwrap();
    assert_eq!(tagged[0].model.id.model.as_str(), "tiny:latest");
}

#[test]
fn a_price_that_the_person_set_counts_more_than_what_the_server_looks_like() {
    let found = local("ollama", &[("qwen3:8b", true)]);
    let (config, mut prices) = (Config::default(), Prices::built_in());
    let model = "ollama/qwen3:8b".parse().unwrap();
    prices.set(&model, Money::micros(2_000_000), Money::micros(6_000_000)).unwrap();
    let today = "2026-11-21".parse().unwrap();
    let available = Available { providers: &found, config: &config, prices: &prices, today };
    let choices = choose(&prompted(), &["ollama".parse().unwrap()], available).unwrap();
    let rates = choices[0].model.rates.as_ref().unwrap();
    assert_eq!((rates.as_of.as_str(), rates.most(1_000_000, 0)), ("--price", Money::micros(2_000_000)));
}

#[test]
fn a_server_behind_the_variable_of_another_provider_is_asked_for_a_model_of_its_own() {
    let choices = choose_from(&local("openai", &[("tiny", true)]), &["openai"], "").unwrap();
    assert_eq!(choices[0].model.id.to_string(), "openai/tiny");
}

#[test]
fn what_is_not_there_is_named_with_what_may_have_been_meant() {
    let found = found(&["OPENAI_API_KEY"]);
    for (arg, says) in [
        ("antropic/claude-opus-5-5", "Did you mean anthropic/claude-opus-5-5?"),
        ("anthropic", "there is no key for anthropic: set ANTHROPIC_API_KEY"),
        ("gpt-6-sol", "is a model of openai: write openai/gpt-6-sol"),
        ("nowhere/x", "There are anthropic, openai"),
        ("bedrock/x", "set AWS_BEDROCK_BASE_URL"),
        ("writter=openai/gpt-6-sol", "Did you mean writer?"),
        ("supervisor=openai/gpt-6-sol", "there are prompts for planner, researcher, writer, reviewer"),
        ("openai/gpt-6-soll", "Did you mean openai/gpt-6-sol?"),
    ] {
        let error = choose_from(&found, &[arg], "").unwrap_err();
        assert!(error.contains(says), "{arg}: {error}");
    }
    let served = local("ollama", &[("qwen3:8b", true), ("llama3:8b", true)]);
    let error = choose_from(&served, &["ollama/qwen3:4b"], "").unwrap_err();
    assert!(error.contains("Did you mean ollama/qwen3:8b?") && error.contains("ollama pull qwen3:4b"), "{error}");
    let error = choose_from(&served, &["ollama"], "").unwrap_err();
    assert!(error.contains("name one, as in --model ollama/qwen3:8b"), "{error}");
    let error = choose_from(&found, &[], "[models]\nwriiter = \"openai\"").unwrap_err();
    assert!(error.contains("config.toml") && error.contains("writer"), "{error}");
}

#[test]
fn an_unknown_price_blocks_and_says_what_to_write_where() {
    let found = found(&["OPENAI_API_KEY"]);
    let error = choose_from(&found, &["openai/zeta-1", "writer=openai/zeta-2"], "").unwrap_err();
    for says in [
        "openai/zeta-1, openai/zeta-2",
        "--price openai/zeta-1=IN,OUT",
        "[models]",
        "\"openai/zeta-2\" = { in = 0.00, out = 0.00 }",
    ] {
        assert!(error.contains(says), "{error}");
    }
    let one = choose_from(&found, &["openai/zeta-1"], "").unwrap_err();
    assert!(one.contains("no model of that name is known here") && one.contains("Known of openai are gpt"), "{one}");
    let slip = choose_from(&found, &["openai/gpt-6-lun"], "").unwrap_err();
    assert!(slip.contains("Did you mean openai/gpt-6-luna?") && !slip.contains("Known of"), "{slip}");
    let dearest = choose_from(&found, &["openai/zeta-1"], "unknown_price = \"dearest\"").unwrap();
    assert_eq!(dearest[0].model.rates.as_ref().unwrap().output, 50_000_000);
    assert!(dearest[0].notes[0].contains("openai/gpt-6-astra"), "{:?}", dearest[0].notes);
}

#[test]
fn a_model_that_is_about_to_end_is_marked() {
    let choices = choose_from(&found(&["OPENAI_API_KEY"]), &["openai/gpt-5"], "").unwrap();
    assert_eq!(choices[0].notes, ["it is to be shut down on 2026-12-11"]);
}

#[test]
fn a_wish_is_read_as_people_write_it() {
    let arg =
        |text: &str| text.parse::<ModelArg>().map(|arg| (arg.role.map(|role| role.to_string()), arg.model.to_string()));
    assert_eq!(arg("writer = openai/gpt-6-sol"), Ok((Some("writer".into()), "openai/gpt-6-sol".into())));
    assert_eq!(arg("default=anthropic"), Ok((None, "anthropic".into())));
    for wrong in ["", "=", "writer=", "=openai"] {
        assert!(arg(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_effort_is_the_users_and_is_refused_with_what_the_model_takes() {
    let both = found(&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    let set = |model: &str, more: &str| format!("[models]\nwriter = {{ model = \"{model}\", {more} }}");
    let chosen =
        |model: &str, more: &str| choose_from(&both, &[], &set(model, more)).map(|choices| choices[0].model.clone());
    let model = chosen("openai/gpt-6-sol", "effort = \"high\", max_tokens = 900").unwrap();
    assert_eq!(model.thinking.effort, Some(Effort::High));
    assert_eq!((model.max_tokens, model.room()), (900, 900 + Effort::High.room()), "thinking has room of its own");
    let limited = chosen("anthropic/claude-haiku-4-5", "thinking_tokens = 2500, max_tokens = 900").unwrap();
    assert_eq!((limited.thinking.limit, limited.room()), (Some(2_500), 3_400));
    for (model, more, says) in [
        (
            "anthropic/claude-haiku-4-5",
            "effort = \"low\"",
            "the writer cannot have effort `low` with anthropic/claude-haiku-4-5: it takes no effort",
        ),
        ("anthropic/claude-opus-5-5", "effort = \"none\"", "it takes low, medium, high, xhigh, max"),
        ("openai/gpt-4.1", "effort = \"low\"", "it takes no effort"),
        ("openai/gpt-4.1", "thinking_tokens = 500", "it does not think"),
        ("openai/gpt-6.1-sol", "effort = \"none\"", "it takes minimal, low"),
    ] {
        let why = chosen(model, more).unwrap_err();
        assert!(why.contains(says), "{why}");
    }
    // Another model need not take the first one's settings: it stands in without them.
    let choices = choose_from(&both, &[], &set("openai/gpt-6-sol, openai/gpt-4.1", "effort = \"high\"")).unwrap();
    assert!(choices[0].fallbacks[0].thinking.is_unsaid() && choices[0].notes[0].contains("gpt-4.1"), "{choices:?}");
}

#[test]
fn what_the_configuration_says_of_thinking_counts_more_than_prompt_and_team() {
    let found = found(&["OPENAI_API_KEY"]);
    let of_prompt = Thinking { effort: Some(Effort::Low), limit: Some(700) };
    let roles: Vec<PromptedRole> =
        prompted().into_iter().map(|role| PromptedRole { thinking: of_prompt, ..role }).collect();
    let prices = Prices::built_in();
    let today = "2026-11-21".parse().unwrap();
    let choose = |config: &str| {
        let config: Config = toml::from_str(config).unwrap();
        choose(&roles, &[], Available { providers: &found, config: &config, prices: &prices, today })
    };
    let choices = choose("").unwrap();
    assert!(choices.iter().all(|choice| choice.model.thinking == of_prompt && choice.model.thinking_room == 700));
    let set = "[models]\nwriter = { model = \"openai/gpt-6-sol\", effort = \"max\" }";
    let thinking = choose(set).unwrap()[0].model.thinking;
    assert_eq!(thinking, Thinking { effort: Some(Effort::Max), limit: Some(700) });
}

#[test]
fn only_a_model_that_thinks_by_itself_has_room_for_it_unasked() {
    let both = found(&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    for (model, room) in [
        ("openai/gpt-6-sol", Thinking::USUAL_ROOM),
        ("openai/gpt-4.1", 0),
        ("anthropic/claude-opus-5-5", Thinking::USUAL_ROOM),
        ("anthropic/claude-haiku-4-5", 0),
    ] {
        assert_eq!(
            choose_from(&both, &[&format!("writer={model}")], "").unwrap()[0].model.thinking_room,
            room,
            "{model}"
        );
    }
}

#[test]
fn a_prompt_that_asks_for_a_strength_gets_that_of_whatever_provider_is_used() {
    let found = found(&["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]);
    for (strength, anthropic, openai) in [
        (Some(Strength::Strongest), "anthropic/claude-opus-5-5", "openai/gpt-6.1-sol"),
        (Some(Strength::Middle), "anthropic/claude-sonnet-5-5", "openai/gpt-6.1-terra"),
        (Some(Strength::Small), "anthropic/claude-haiku-5-5", "openai/gpt-6-luna"),
        (None, "anthropic/claude-haiku-5-5", "openai/gpt-6-luna"),
    ] {
        let role = PromptedRole { role: Role::new("checker"), strength, ..prompted()[1].clone() };
        let (config, prices) = (Config::default(), Prices::built_in());
        let available =
            Available { providers: &found, config: &config, prices: &prices, today: "2026-11-22".parse().unwrap() };
        for (provider, model) in [("anthropic", anthropic), ("openai", openai)] {
            let args = [provider.parse().unwrap()];
            let chosen = choose(std::slice::from_ref(&role), &args, available).unwrap();
            assert_eq!(chosen[0].model.id.to_string(), model, "{strength:?}");
        }
    }
}
