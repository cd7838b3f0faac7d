//! A thin top around a core whose border is AXI: clock `aclk`, reset `aresetn`, and each interface
//! marked as Vivado reads it (UG994, "List of Supported X_ Attributes").

use crate::ir::{Dir, Port};
use std::fmt::Write as _;

/// What a port belongs to.
struct Member<'a> {
    /// Kind of interface, as Vivado names it.
    kind: &'static str,
    /// Name of the interface.
    interface: &'a str,
    /// The port's name in the standard, in capitals.
    signal: String,
}

/// The ports of a core.
struct Border<'a>(&'a [Port]);

impl<'a> Border<'a> {
    fn port(&self, interface: &str, signal: &str) -> Option<&'a Port> {
        let named = |p: &&Port| p.name.strip_prefix(interface) == Some(&format!("_{signal}"));
        self.0.iter().find(named)
    }

    /// Bits of a port; 0 if it isn't there.
    fn width(&self, interface: &str, signal: &str) -> usize {
        self.port(interface, signal).map_or(0, |p| p.width)
    }

    fn member(&self, port: &'a Port) -> Option<Member<'a>> {
        let name = port.name.as_str();
        let of = |kind, interface, signal: &str| {
            Some(Member { kind, interface, signal: signal.to_uppercase() })
        };
        match name {
            "clock" => return of("signal:clock", "aclk", "clk"),
            "reset" => return of("signal:reset", "aresetn", "rst"),
            "irq" => return of("signal:interrupt", name, "interrupt"),
            _ => {}
        }
        let (interface, signal) = name.rsplit_once('_')?;
        if self.port(interface, "tdata").is_some() {
            of("interface:axis", interface, signal)
        } else if self.port(interface, "awaddr").is_some() {
            of("interface:aximm", interface, signal)
        } else {
            None
        }
    }

    /// Names of the buses, in the order of their ports.
    fn buses(&self) -> Vec<&'a str> {
        let members = self.0.iter().filter_map(|p| self.member(p));
        let mut names: Vec<_> =
            members.filter(|m| m.kind.starts_with("interface:")).map(|m| m.interface).collect();
        names.dedup();
        names
    }

    /// What Vivado is told of an interface beside its ports.
    fn parameters(&self, member: &Member) -> String {
        let interface = member.interface;
        let width = |signal| self.width(interface, signal);
        match member.kind {
            "signal:clock" => {
                format!("ASSOCIATED_BUSIF {}, ASSOCIATED_RESET aresetn", self.buses().join(":"))
            }
            "signal:reset" => "POLARITY ACTIVE_LOW".into(),
            "signal:interrupt" => "SENSITIVITY LEVEL_HIGH".into(),
            "interface:axis" => format!(
                "TDATA_NUM_BYTES {}, TUSER_WIDTH {}, HAS_TREADY {}, HAS_TKEEP {}, HAS_TLAST {}",
                width("tdata") / 8,
                width("tuser"),
                width("tready"),
                width("tkeep").min(1),
                width("tlast")
            ),
            _ => format!(
                "PROTOCOL {}, ADDR_WIDTH {}, DATA_WIDTH {}, ID_WIDTH {}",
                if width("awlen") > 0 { "AXI4" } else { "AXI4LITE" },
                width("awaddr"),
                width("wdata"),
                width("awid")
            ),
        }
    }

    /// The attributes of a port: those of the interface stand at its first one.
    fn attributes(&self, port: &'a Port) -> Vec<String> {
        let Some(member) = self.member(port) else { return vec![] };
        let (kind, interface) = (member.kind, member.interface);
        let of_interface = |p: &&Port| self.member(p).is_some_and(|m| m.interface == interface);
        let mut pairs =
            vec![("INFO", format!("xilinx.com:{kind}:1.0 {interface} {}", member.signal))];
        if self.0.iter().find(of_interface).is_some_and(|first| first.name == port.name) {
            let is_master = interface.starts_with("m_") || kind == "signal:interrupt";
            pairs.push(("MODE", if is_master { "master" } else { "slave" }.into()));
            let parameters = self.parameters(&member);
            pairs.push(("PARAMETER", format!("XIL_INTERFACENAME {interface}, {parameters}")));
        }
        let line = |(key, value)| format!("(* X_INTERFACE_{key} = \"{value}\" *)");
        pairs.into_iter().map(line).collect()
    }
}

/// Name and text of the module `<top>_axi`, which holds `top` and has its ports; none if `top` has
/// no AXI4-Lite port.
pub fn axi_top(top: &str, ports: &[Port]) -> Option<(String, String)> {
    let border = Border(ports);
    border.port("s_axil", "awaddr")?;
    let own_name = |port: &Port| match port.name.as_str() {
        "clock" => "aclk".to_string(),
        "reset" => "aresetn".to_string(),
        name => name.to_string(),
    };
    let (mut heads, mut pins) = (vec![], vec![]);
    for port in ports {
        let name = own_name(port);
        let dir = if port.dir == Dir::In { "input " } else { "output" };
        let range = if port.width > 1 { format!("[{}:0] ", port.width - 1) } else { "".into() };
        let mut lines = border.attributes(port);
        lines.push(format!("{dir} wire {range}{name}"));
        heads.push(format!("    {}", lines.join("\n    ")));
        let net = if name == "aresetn" { "!aresetn" } else { &name };
        pins.push(format!("        .{}({net})", port.name));
    }
    let mut text = format!(
        "// {top} with clock and reset as AXI names them, its interfaces marked for Vivado\n\
         module {top}_axi (\n"
    );
    let _ = writeln!(text, "{}\n);\n", heads.join(",\n"));
    let _ = writeln!(text, "    {top} core (\n{}\n    );\n\nendmodule", pins.join(",\n"));
    Some((format!("{top}_axi"), text))
}
