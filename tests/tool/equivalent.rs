//! Proofs that survivors of `mutants.rs` cannot be noticed. A row of
//! tests/data/mutant-survivors.md that says "proved (MODULE)" is one for which Yosys joins MODULE
//! with and without the mistake, and ABC proves that no output ever differs, whatever comes in.
//!
//! Registers are zero when the clock begins to run. The content of a RAM is not modelled: what it
//! answers is free, but the same for both, and both must write the same words to it and read at the
//! same addresses. Outputs with a strobe (`x_valid`, `x_enable`, `x_start`, `x_done`) are compared
//! while it is high.
//!
//! Without `NIC_MUTANTS_ALL` one in 32 of the rows is proved. `NIC_PROVE_ALL` tries the other rows
//! as well, in their module and in all that it is part of, and prints what can be proved in a
//! minute; with `NIC_MUTANT_ONLY` those whose name contains one of its lines.

use crate::mutants::{designs, is_named, is_of_the_sample, known_survivors, PLAN};
use nic_harness::mutate::campaign::named;
use nic_harness::parallel::side_by_side;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How long Yosys may take to find a proof, and ABC as well, in seconds of a processor.
const FIND_SECONDS: u32 = 60;
/// And to find it again, on a slower machine.
const AGAIN_SECONDS: u32 = 300;
const RAMS: [&str; 3] = ["ram", "lut_ram", "any_ram"];
const STROBES: [&str; 4] = ["valid", "enable", "start", "done"];

struct Port {
    is_input: bool,
    range: String,
    name: String,
}

/// The modules of `text` by name, each from `module` on, without its end.
fn modules(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("endmodule").filter_map(|part| {
        let at = if part.starts_with("module ") { 0 } else { part.find("\nmodule ")? + 1 };
        let body = &part[at..];
        let name = body["module ".len()..].split([' ', '(', ';', '\n']).next()?;
        Some((name, body))
    })
}

fn ports(module: &str) -> Vec<Port> {
    let port = |line: &str| {
        let line = line.trim().trim_end_matches(',');
        let is_input = line.starts_with("input ");
        let rest = line.strip_prefix("input ").or_else(|| line.strip_prefix("output "))?.trim();
        let rest = rest.trim_start_matches("wire").trim_start_matches("reg").trim();
        let (range, name) = rest
            .rsplit_once(']')
            .map_or((String::new(), rest), |(range, name)| (format!("{range}]"), name));
        Some(Port { is_input, range, name: name.trim().to_string() })
    };
    module.lines().filter_map(port).collect()
}

/// `text` whose RAMs have become cells `seen`, which show what is done to them.
fn without_rams(text: &str) -> String {
    let mut result = text.to_string();
    for (name, module) in modules(text).filter(|(name, _)| RAMS.contains(name)) {
        let (head, _) = module.split_once("\n);\n").expect("a module has ports");
        let head = head.replace("output reg ", "output wire");
        let read = if head.contains("read_enable") { "read_enable" } else { "1'b1" };
        let body = format!(
            "{head}\n);\n    seen #(.W(1 + AW + WIDTH), .R(1 + AW), .D(WIDTH)) seen(\n        \
             .write(write_enable ? {{1'b1, write_address, write_data}} : {{1 + AW + WIDTH{{1'b0}}}}),\
             \n        .read({read} ? {{1'b1, read_address}} : {{1 + AW{{1'b0}}}}),\n        \
             .word(read_data)\n    );\n"
        );
        assert!(module.contains("WIDTH") && module.contains("AW"), "{name} has other parameters");
        result = result.replacen(module, &body, 1);
    }
    result
        + "\n(* blackbox *)\nmodule seen #(parameter W = 1, parameter R = 1, parameter D = 1) (\n    \
           input wire [W-1:0] write, input wire [R-1:0] read, output wire [D-1:0] word\n);\n\
           endmodule\n"
}

/// A module `part` around `module`: an output with a strobe is 0 while that is low.
fn wrapper(module: &str, ports: &[Port]) -> String {
    let strobe = |name: &str| {
        let strobes = ports.iter().filter(|port| !port.is_input && port.name != name);
        strobes.map(|port| port.name.as_str()).find(|strobe| {
            let kind = STROBES.iter().find_map(|kind| strobe.strip_suffix(kind));
            let is_flow = name.ends_with("_ready") || name.ends_with("_valid");
            !is_flow && kind.is_some_and(|prefix| !prefix.is_empty() && name.starts_with(prefix))
        })
    };
    let (mut declared, mut body, mut connected) = (Vec::new(), String::new(), Vec::new());
    for Port { is_input, range, name } in ports {
        let direction = if *is_input { "input" } else { "output" };
        declared.push(format!("    {direction} wire {range} {name}"));
        let inside = if *is_input { name.clone() } else { format!("{name}_inside") };
        if !is_input {
            let shown =
                strobe(name).map_or(inside.clone(), |s| format!("{s}_inside ? {inside} : 0"));
            writeln!(body, "    wire {range} {inside};\n    assign {name} = {shown};")
                .expect("a string takes text");
        }
        connected.push(format!("        .{name}({inside})"));
    }
    format!(
        "\nmodule part (\n{}\n);\n{body}    {module} inside(\n{}\n    );\nendmodule\n",
        declared.join(",\n"),
        connected.join(",\n")
    )
}

/// Proves that `module` is the same in `right` and in `wrong`; otherwise why there is no proof.
fn prove(dir: &Path, module: &str, [right, wrong]: [&str; 2], seconds: u32) -> Result<(), String> {
    let (_, text) = modules(right).find(|(name, _)| *name == module).ok_or("no such module")?;
    if text.contains("parameter ") {
        return Err("its size is a parameter".into());
    }
    let wrapper = wrapper(module, &ports(text));
    std::fs::create_dir_all(dir).expect("build directory is writable");
    let write = |name: &str, text: &str| {
        std::fs::write(dir.join(name), text).expect("build directory is writable");
    };
    // A mistake in a RAM itself needs the RAM.
    let shown = [right, wrong].map(without_rams);
    let shown = if shown[0] == shown[1] { [right, wrong].map(String::from) } else { shown };
    assert_ne!(shown[0], shown[1], "nothing to prove");
    write("right.v", &(shown[0].clone() + &wrapper));
    write("wrong.v", &(shown[1].clone() + &wrapper));
    let half = |file: &str| {
        format!(
            "read_verilog -nosynthesis {file}.v\nhierarchy -check -top part\nproc\nflatten\n\
             expose -evert t:*seen*\nopt_clean\nmemory -nomap\nmemory_map\ndffunmap\n\
             setundef -undriven -init -zero\nrename part {file}\ndesign -stash {file}\n"
        )
    };
    // AIGER's flip-flops have neither enable nor reset.
    let join = "design -copy-from right -as right right\ndesign -copy-from wrong -as wrong wrong\n\
                miter -equiv -flatten right wrong miter\nhierarchy -top miter\n\
                opt -fast -nodffe -nosdff\ndffunmap\ntechmap\nopt_expr\nopt_merge\nopt_clean\n\
                aigmap\nwrite_aiger -zinit both.aig\n";
    write("both.ys", &[&half("right"), &half("wrong"), join].concat());
    let run = |program: &str, arguments: &[&str]| {
        let mut run = Command::new("sh");
        let limited = format!("ulimit -t {seconds}; exec \"$@\"");
        run.args(["-c", &limited, "sh", program]).args(arguments).current_dir(dir);
        let output = run.output().expect("a shell runs");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        // Who runs out of time ends by a signal.
        output.status.code().map(|_| said).ok_or(format!("{program} takes more than {seconds} s"))
    };
    let said = run("yosys", &["-q", "both.ys"])?;
    if let Some((_, error)) = said.split_once("ERROR: ") {
        return Err(error.trim().to_string());
    }
    let said = run("yosys-abc", &["-c", "read_aiger both.aig; scorr; dc2; scorr -F 4; pdr"])?;
    if said.contains("Property proved") {
        return Ok(());
    }
    Err(said.lines().find(|line| line.contains("asserted")).unwrap_or(&said).to_string())
}

/// `module`, and what it is part of, from the inside out.
fn ladder(text: &str, module: &str) -> Vec<String> {
    let mut steps = vec![module.to_string()];
    while let Some((parent, _)) = modules(text).find(|(name, body)| {
        let instance = format!("\n    {} ", steps[steps.len() - 1]);
        !steps.iter().any(|step| step == name) && body.contains(&instance)
    }) {
        steps.push(parent.to_string());
    }
    steps
}

/// MODULE of "proved (MODULE): why".
fn proved_in(reason: &str) -> Option<&str> {
    reason.strip_prefix("proved (")?.split_once(')').map(|(module, _)| module)
}

#[test]
fn equivalent_mutants_are_proved() {
    let known = known_survivors();
    let is_set = |name| std::env::var_os(name).is_some();
    let is_tried = |id: &str| match known.get(id).map(|row| proved_in(&row.reason)) {
        _ if !is_named(id) => false,
        Some(Some(_)) => is_set("NIC_MUTANTS_ALL") || is_of_the_sample(id),
        Some(None) => is_set("NIC_PROVE_ALL"),
        None => false,
    };
    let designs = designs();
    let tried = named(&designs, &PLAN, &is_tried);
    let dir: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("equivalent");
    let results = side_by_side(&tried, |number, (source, mutant)| {
        let wrong = mutant.apply(&source.text);
        let attempt = |module: &str, seconds| {
            let dir = dir.join(format!("{number}_{module}"));
            prove(&dir, module, [&source.text, &wrong], seconds)
        };
        let id = mutant.id();
        if let Some(module) = proved_in(&known[&id].reason) {
            return attempt(module, AGAIN_SECONDS).map_err(|why| format!("{id}: {why}"));
        }
        for module in ladder(&source.text, &mutant.module) {
            match attempt(&module, FIND_SECONDS) {
                Ok(()) => {
                    println!("proved ({module}): {id}");
                    break;
                }
                Err(why) => println!("not in {module}, {why}: {id}"),
            }
        }
        Ok(())
    });
    let failed: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failed.is_empty(), "not proved: {failed:#?}");
}

#[test]
fn a_proof_tells_equivalent_from_different() {
    let text = "module count (\n    input  wire clock,\n    input  wire reset,\n    \
                output reg  count_valid,\n    output reg  [3:0] count_value\n);\n    \
                always @(posedge clock) begin\n        count_valid <= !reset;\n        \
                count_value <= count_valid ? count_value + 4'd1 : 4'd0;\n        \
                if (reset) count_value <= 4'd0;\n    end\nendmodule\n";
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("equivalent");
    let proof = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from), "no {from}");
        prove(&dir.join(name), "count", [text, &text.replace(from, to)], FIND_SECONDS)
    };
    // Behind a reset the value is 0 before it is shown.
    assert_eq!(
        proof("reset", "if (reset) count_value <= 4'd0", "if (reset) count_value <= 4'd5"),
        Ok(())
    );
    let error = proof("step", "+ 4'd1", "+ 4'd2").expect_err("another step is seen");
    assert!(error.contains("asserted"), "{error}");
}
