fn main() -> std::process::ExitCode {
    let mut a = std::env::args_os().skip(1);
    if a.next().is_some_and(|s| s == "read-pdf") {
        return masthead::source::pdf::child_main(std::path::Path::new(&a.next().unwrap()));
    }
    std::process::ExitCode::FAILURE
}
