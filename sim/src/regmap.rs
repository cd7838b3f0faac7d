//! The register map as pages: Markdown, C header, SystemRDL, all from `nic_spec::regs` and, for
//! what is exchanged through memory and table rows, `nic_spec::layouts`.

use nic_spec::layouts::{Part, LAYOUTS};
use nic_spec::regs::{registers, Access, Field, Register, COUNTERS, EVENTS};
use std::fmt::Write;

/// All registers in offset order.
fn ordered() -> Vec<&'static Register> {
    let mut all: Vec<_> = registers().collect();
    all.sort_by_key(|r| r.offset);
    all
}

fn access_name(access: Access) -> &'static str {
    match access {
        Access::Rw => "rw",
        Access::Ro => "ro",
        Access::Wo => "wo",
    }
}

fn bits(lsb: u8, width: u8) -> String {
    match width {
        1 => format!("{lsb}"),
        _ => format!("{}:{lsb}", lsb + width - 1),
    }
}

fn counter_offset(index: usize) -> usize {
    usize::from(COUNTERS) + 4 * index
}

/// The reference page.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Register map\n\nMade by `nic regmap --format markdown`; edit `fw/spec/src/regs.rs`.\n\n\
         AXI4-Lite, 32-bit registers. SLVERR answers an offset without a register, a write to a\n\
         read-only register and a write with a byte strobe low; nothing changes then.\n\n\
         | offset | name | access | reset | bits | meaning |\n|---|---|---|---|---|---|\n",
    );
    for r in ordered() {
        let (offset, name) = match r.count {
            1 => (format!("0x{:03x}", r.offset), r.name.to_uppercase()),
            n => (
                format!("0x{:03x}..0x{:03x}", r.offset, r.offset + 4 * (n - 1)),
                format!("{}[{n}]", r.name.to_uppercase()),
            ),
        };
        let access = access_name(r.access);
        let whole = bits(0, r.width);
        writeln!(page, "| {offset} | {name} | {access} | 0x{:x} | {whole} | {} |", r.reset, r.doc)
            .expect("writing to a string");
        for f in r.fields {
            writeln!(page, "| | .{} | | | {} | {} |", f.name, bits(f.lsb, f.width), f.doc)
                .expect("writing to a string");
        }
    }
    page.push_str("\n## Event counters\n\n32 bits, saturating, read only.\n\n");
    page.push_str("| offset | event | one count is |\n|---|---|---|\n");
    for (i, (name, doc)) in EVENTS.iter().enumerate() {
        writeln!(page, "| 0x{:03x} | {name} | {doc} |", counter_offset(i))
            .expect("writing to a string");
    }
    page.push_str("\n## Rows, work requests, completions\n\n32-bit little-endian words.\n");
    for layout in LAYOUTS {
        writeln!(page, "\n### {}: {} bytes\n\n{}.\n", layout.name, layout.bytes, layout.doc)
            .expect("writing to a string");
        page.push_str("| word | bits | name | meaning |\n|---|---|---|---|\n");
        for part in layout.parts {
            let (f, last) = (part.field, part.word + part.word_count - 1);
            let words = if last == part.word {
                format!("{last}")
            } else {
                format!("{}, {last}", part.word)
            };
            writeln!(page, "| {words} | {} | {} | {} |", bits(f.lsb, f.width), f.name, f.doc)
                .expect("writing to a string");
        }
    }
    page
}

/// A part of a record in C: its word, and shift and mask where it is not whole words.
fn c_part(page: &mut String, layout: &str, part: &Part) {
    let name = format!("NIC_{}_{}", layout.to_uppercase(), part.field.name.to_uppercase());
    let Field { lsb, width, doc, .. } = part.field;
    let words = if part.word_count > 1 { "; high word behind it" } else { "" };
    writeln!(page, "#define {name}_WORD {} /* {doc}{words} */", part.word)
        .expect("writing to a string");
    if width < 32 {
        let mask = (u32::MAX >> (32 - u32::from(width))) << lsb;
        writeln!(page, "#define {name}_SHIFT {lsb}\n#define {name}_MASK 0x{mask:08x}u")
            .expect("writing to a string");
    }
}

/// The C header.
pub fn c_header() -> String {
    let mut page = String::from(
        "/* SPDX-License-Identifier: MIT OR Apache-2.0\n \
         * Made by `nic regmap --format c`; edit fw/spec/src/regs.rs. */\n\
         #ifndef NIC_REGS_H\n#define NIC_REGS_H\n\n",
    );
    for r in ordered() {
        let name = r.name.to_uppercase();
        let access = access_name(r.access);
        writeln!(page, "/* {} ({access}, reset 0x{:x}) */", r.doc, r.reset)
            .expect("writing to a string");
        writeln!(page, "#define NIC_{name} 0x{:03x}", r.offset).expect("writing to a string");
        if r.count > 1 {
            writeln!(page, "#define NIC_{name}_COUNT {}", r.count).expect("writing to a string");
        }
        for f in r.fields {
            let field = format!("NIC_{name}_{}", f.name.to_uppercase());
            let mask = (u32::MAX >> (32 - u32::from(f.width))) << f.lsb;
            writeln!(page, "#define {field}_SHIFT {} /* {} */", f.lsb, f.doc)
                .expect("writing to a string");
            writeln!(page, "#define {field}_MASK 0x{mask:08x}u").expect("writing to a string");
        }
    }
    page.push_str("\n/* Event counters: 32 bits, saturating. */\n");
    for (i, (name, doc)) in EVENTS.iter().enumerate() {
        let offset = counter_offset(i);
        writeln!(page, "#define NIC_COUNTER_{} 0x{offset:03x} /* {doc} */", name.to_uppercase())
            .expect("writing to a string");
    }
    for layout in LAYOUTS {
        writeln!(page, "\n/* {}: 32-bit little-endian words. */", layout.doc)
            .expect("writing to a string");
        let name = layout.name.to_uppercase();
        writeln!(page, "#define NIC_{name}_BYTES {}", layout.bytes).expect("writing to a string");
        layout.parts.iter().for_each(|part| c_part(&mut page, layout.name, part));
    }
    page.push_str("\n#endif\n");
    page
}

fn rdl_field(page: &mut String, name: &str, f: &Field, access: Access, reset: u32) {
    let sw = match access {
        Access::Rw => "rw",
        Access::Ro => "r",
        Access::Wo => "w",
    };
    let mask = u32::MAX >> (32 - u32::from(f.width));
    let reset = match access {
        Access::Rw => format!(" = {}'h{:x}", f.width, reset >> f.lsb & mask),
        _ => String::new(),
    };
    let doc = f.doc.replace('"', "'");
    let range = format!("[{}:{}]", f.lsb + f.width - 1, f.lsb);
    writeln!(page, "    field {{ sw = {sw}; desc = \"{doc}\"; }} {name}{range}{reset};")
        .expect("writing to a string");
}

/// The SystemRDL 2.0 description.
pub fn system_rdl() -> String {
    let mut page = String::from(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\n\
         // Made by `nic regmap --format systemrdl`; edit fw/spec/src/regs.rs.\n\
         addrmap nic {\n  default regwidth = 32;\n  default hw = na;\n",
    );
    for r in ordered() {
        let doc = r.doc.replace('"', "'");
        writeln!(page, "  reg {{\n    desc = \"{doc}\";").expect("writing to a string");
        if r.fields.is_empty() {
            let whole = Field { name: "value", lsb: 0, width: r.width, doc: "the value" };
            rdl_field(&mut page, "value", &whole, r.access, r.reset);
        }
        for f in r.fields {
            rdl_field(&mut page, f.name, f, r.access, r.reset);
        }
        let array = if r.count > 1 { format!("[{}]", r.count) } else { String::new() };
        let stride = if r.count > 1 { " += 0x4" } else { "" };
        writeln!(page, "  }} {}{array} @ 0x{:x}{stride};", r.name, r.offset)
            .expect("writing to a string");
    }
    for (i, (name, doc)) in EVENTS.iter().enumerate() {
        writeln!(
            page,
            "  reg {{ desc = \"{doc}\"; field {{ sw = r; }} count[31:0]; }} counter_{name} @ 0x{:x};",
            counter_offset(i)
        )
        .expect("writing to a string");
    }
    page.push_str("};\n");
    page
}
