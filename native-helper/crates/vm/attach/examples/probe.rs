//! Attaches to a pid and prints the self-check: for looking at a VM by hand.
fn main() {
    let pid = std::env::args()
        .nth(1)
        .and_then(|pid| pid.parse().ok())
        .unwrap_or(0);
    match attach::attach(pid) {
        Ok(mut vm) => {
            println!("{:?}", vm.times);
            for row in attach::self_check(&mut vm) {
                println!(
                    "{} {}: {}",
                    if row.ok { "ok  " } else { "FAIL" },
                    row.check.name(),
                    row.found
                );
            }
        }
        Err(error) => println!("{error}"),
    }
}
