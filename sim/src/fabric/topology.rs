//! Nodes, links and ways: from a description to what packets take.

use super::random;
use super::scenario::{Kind, RouteSpec, TopologySpec};
use super::wire::LINKS_MAX;
use std::collections::{BTreeMap, VecDeque};

/// Nodes at most, so that distances and ids stay small.
const NODES_MAX: usize = 8192;
/// A distance that says that there is no way.
const NO_WAY: u8 = u8::MAX;

/// One direction of a link, and the port that feeds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Node that sends.
    pub from: u16,
    /// Node that receives.
    pub to: u16,
    /// Rate, Gb/s.
    pub gbps: u32,
    /// Delay, ps.
    pub delay_ps: u64,
    /// Index into [`Topology::classes`].
    pub class: u8,
}

impl Link {
    /// Time that a byte takes.
    pub fn ps_per_byte(&self) -> u64 {
        u64::from(8000 / self.gbps)
    }
}

/// Links from source to destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Indices of links; only the first `length` count.
    pub links: [u16; LINKS_MAX],
    /// How many.
    pub length: u8,
}

impl Way {
    /// The links in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.links[..usize::from(self.length)].iter().map(|link| usize::from(*link))
    }
}

/// A network. Nodes are hosts, then switches.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Nodes that are hosts.
    pub host_count: usize,
    /// Nodes that are switches.
    pub switch_count: usize,
    /// All links, a direction each.
    pub links: Vec<Link>,
    /// Names of the kinds of ports, host ports first.
    pub classes: Vec<&'static str>,
    /// Links that leave each node.
    out: Vec<Vec<u16>>,
    /// Links from each node to each host on the shortest way: by host, then node.
    distance: Vec<Vec<u8>>,
    /// Next links that somebody has chosen, by node and host.
    routes: BTreeMap<(u16, u16), u16>,
}

/// Class of the hosts' own ports.
pub const HOST_CLASS: u8 = 0;

/// Links that are still being collected.
struct Builder<'a> {
    spec: &'a TopologySpec,
    links: Vec<Link>,
    classes: Vec<&'static str>,
}

impl<'a> Builder<'a> {
    fn class(&mut self, name: &'static str) -> u8 {
        let known = self.classes.iter().position(|class| *class == name);
        let at = known.unwrap_or_else(|| {
            self.classes.push(name);
            self.classes.len() - 1
        });
        at as u8
    }

    /// A link in both directions, with the classes of the ports at `a` and `b`.
    fn link(&mut self, a: usize, b: usize, gbps: u32, classes: [&'static str; 2]) {
        self.delayed(a, b, (gbps, self.spec.delay_ns), classes);
    }

    fn delayed(
        &mut self,
        a: usize,
        b: usize,
        (gbps, delay_ns): (u32, u32),
        classes: [&'static str; 2],
    ) {
        for (from, to, class) in [(a, b, classes[0]), (b, a, classes[1])] {
            let class = self.class(class);
            let delay_ps = u64::from(delay_ns) * 1000;
            self.links.push(Link { from: from as u16, to: to as u16, gbps, delay_ps, class });
        }
    }

    fn hosts(&mut self, switch_of: impl Fn(usize) -> usize, class: &'static str) {
        for host in 0..self.spec.hosts as usize {
            self.link(host, switch_of(host), self.spec.host_gbps, ["host", class]);
        }
    }
}

/// `hosts` in `groups`, the same number in each.
fn group(spec: &TopologySpec, groups: u32, what: &str) -> Result<usize, String> {
    if groups == 0 || !spec.hosts.is_multiple_of(groups) {
        return Err(format!(
            "topology.hosts is {}, which {groups} {what} cannot share evenly",
            spec.hosts
        ));
    }
    Ok((spec.hosts / groups) as usize)
}

/// How many switches, and the links.
fn build(spec: &TopologySpec) -> Result<(usize, Vec<Link>, Vec<&'static str>), String> {
    let mut b = Builder { spec, links: vec![], classes: vec!["host"] };
    let first = spec.hosts as usize;
    let need = |value: Option<u32>, field: &str, default: u32| match value.unwrap_or(default) {
        0 => Err(format!("topology.{field} is 0; it must be at least 1")),
        value if value > 1024 => Err(format!("topology.{field} is {value}, above 1024")),
        value => Ok(value as usize),
    };
    let switch_count = match spec.kind {
        Kind::Star => {
            b.hosts(|_| first, "switch_down");
            1
        }
        Kind::Dumbbell => {
            let half = group(spec, 2, "sides")?;
            b.hosts(|host| first + host / half, "switch_down");
            b.link(first, first + 1, spec.fabric_gbps, ["switch_across"; 2]);
            2
        }
        Kind::TwoTiers => {
            let (leaves, spines) =
                (need(spec.switches, "switches", 4)?, need(spec.spines, "spines", 2)?);
            let each = group(spec, leaves as u32, "leaves")?;
            b.hosts(|host| first + host / each, "leaf_down");
            for (leaf, spine) in pairs(leaves, spines) {
                let spine = first + leaves + spine;
                b.link(first + leaf, spine, spec.fabric_gbps, ["leaf_up", "spine_down"]);
            }
            leaves + spines
        }
        Kind::FatTree => fat_tree(&mut b)?,
        Kind::Custom => custom(&mut b)?,
    };
    Ok((switch_count, b.links, b.classes))
}

/// Each of `a` with each of `b`.
fn pairs(a: usize, b: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..a).flat_map(move |a| (0..b).map(move |b| (a, b)))
}

/// Each aggregation switch of a pod with each of its top-of-rack switches; the n-th aggregation switch
/// of each pod with the n-th group of cores.
fn fat_tree(b: &mut Builder<'_>) -> Result<usize, String> {
    let spec = b.spec;
    let count = |value: Option<u32>, field: &str, default: usize| match value {
        Some(value) if !(1..=64).contains(&value) => {
            Err(format!("topology.{field} is {value}; it must be in 1..=64"))
        }
        value => Ok(value.map_or(default, |value| value as usize)),
    };
    let pods = count(spec.pods, "pods", 5)?;
    let tors = count(spec.tors_per_pod, "tors_per_pod", 4)?;
    let aggs = count(spec.aggs_per_pod, "aggs_per_pod", 4)?;
    let cores = count(spec.cores_per_agg, "cores_per_agg", 4)?;
    let each = group(spec, (pods * tors) as u32, "top-of-rack switches")?;
    let tor_at = spec.hosts as usize;
    let (agg_at, core_at) = (tor_at + pods * tors, tor_at + pods * (tors + aggs));
    b.hosts(|host| tor_at + host / each, "tor_down");
    for (tor, agg) in pairs(pods * tors, aggs) {
        let agg = agg_at + tor / tors * aggs + agg;
        b.link(tor_at + tor, agg, spec.fabric_gbps, ["tor_up", "agg_down"]);
    }
    for (agg, core) in pairs(pods * aggs, cores) {
        let core = core_at + agg % aggs * cores + core;
        b.link(agg_at + agg, core, spec.fabric_gbps, ["agg_up", "core_down"]);
    }
    Ok(pods * (tors + aggs) + aggs * cores)
}

fn custom(b: &mut Builder<'_>) -> Result<usize, String> {
    let spec = b.spec;
    let switches = spec.switches.unwrap_or(1) as usize;
    if switches > 1024 {
        return Err(format!("topology.switches is {switches}, above 1024"));
    }
    for link in &spec.link {
        let ends = [&link.a, &link.b].map(|name| node(name, spec.hosts as usize, switches));
        let [a, z] = ends;
        let (a, z) = (a?, z?);
        if a == z {
            return Err(format!("topology.link from {} to itself", link.a));
        }
        let class = |at: usize, other: usize| {
            let hosts = spec.hosts as usize;
            match (at < hosts, other < hosts) {
                (true, _) => "host",
                (false, true) => "switch_down",
                (false, false) => "switch_across",
            }
        };
        b.delayed(a, z, (link.gbps, link.delay_ns), [class(a, z), class(z, a)]);
    }
    Ok(switches)
}

/// `h3` or `s0`.
fn node(name: &str, hosts: usize, switches: usize) -> Result<usize, String> {
    let number = |prefix| name.strip_prefix(prefix).and_then(|n: &str| n.parse::<usize>().ok());
    let found = match (number('h'), number('s')) {
        (Some(host), _) if host < hosts => Some(host),
        (_, Some(switch)) if switch < switches => Some(hosts + switch),
        _ => None,
    };
    found.ok_or_else(|| {
        format!(
            "topology: there is no node {name:?}; hosts are h0..h{}, switches s0..s{}",
            hosts - 1,
            switches.saturating_sub(1)
        )
    })
}

impl Topology {
    /// The network that `spec` describes, with its routes checked.
    ///
    /// # Errors
    /// A sentence that names the field, the host without a way, or the loop.
    pub fn new(spec: &TopologySpec) -> Result<Self, String> {
        let (switch_count, links, classes) = build(spec)?;
        let host_count = spec.hosts as usize;
        let nodes = host_count + switch_count;
        if nodes > NODES_MAX {
            return Err(format!("topology has {nodes} nodes; at most {NODES_MAX} fit"));
        }
        let mut out = vec![vec![]; nodes];
        for (at, link) in links.iter().enumerate() {
            if link.gbps == 0 || !8000_u32.is_multiple_of(link.gbps) {
                let text = "it must divide 8000, so that a byte takes whole picoseconds";
                return Err(format!("topology: a link has {} Gb/s; {text}", link.gbps));
            }
            out[usize::from(link.from)].push(at as u16);
        }
        let none = BTreeMap::new();
        let mut topology =
            Self { host_count, switch_count, links, classes, out, distance: vec![], routes: none };
        topology.check_hosts()?;
        topology.distance = (0..host_count).map(|host| topology.distances(host)).collect();
        for route in &spec.route {
            topology.add_route(route)?;
        }
        topology.check_ways()?;
        Ok(topology)
    }

    fn check_hosts(&self) -> Result<(), String> {
        let rate = |host: usize| self.links[usize::from(self.out[host][0])].gbps;
        for host in 0..self.host_count {
            if self.out[host].len() != 1 {
                let count = self.out[host].len();
                return Err(format!("topology: host h{host} has {count} links; it must have one"));
            }
            if rate(host) != rate(0) {
                let text = "the links of all hosts must have the same rate";
                return Err(format!("topology: {text}, and h{host} has {} Gb/s", rate(host)));
            }
        }
        Ok(())
    }

    /// Links from each node to `host`, by breadth.
    fn distances(&self, host: usize) -> Vec<u8> {
        let mut distance = vec![NO_WAY; self.out.len()];
        distance[host] = 0;
        let mut reached = VecDeque::from([host]);
        while let Some(node) = reached.pop_front() {
            // Hosts forward nothing.
            if node < self.host_count && node != host {
                continue;
            }
            for link in &self.out[node] {
                let next = usize::from(self.links[usize::from(*link)].to);
                if distance[next] == NO_WAY {
                    distance[next] = distance[node].saturating_add(1);
                    reached.push_back(next);
                }
            }
        }
        distance
    }

    fn add_route(&mut self, route: &RouteSpec) -> Result<(), String> {
        let find = |name: &str| node(name, self.host_count, self.switch_count);
        let (at, to, via) = (find(&route.at)?, find(&route.to)?, find(&route.via)?);
        if at < self.host_count || to >= self.host_count {
            return Err("topology.route: at must be a switch, to a host".into());
        }
        let leads = |link: &&u16| usize::from(self.links[usize::from(**link)].to) == via;
        let link = *self.out[at]
            .iter()
            .find(leads)
            .ok_or_else(|| format!("topology.route: {} has no link to {}", route.at, route.via))?;
        self.routes.insert((at as u16, to as u16), link);
        Ok(())
    }

    /// Which switch a node is; none if it is a host.
    pub fn switch(&self, node: u16) -> Option<usize> {
        usize::from(node).checked_sub(self.host_count)
    }

    /// Links that lead from `node` towards `host`.
    fn next_links(&self, node: usize, host: usize) -> impl Iterator<Item = u16> + '_ {
        let chosen = match self.routes.is_empty() {
            true => None,
            false => self.routes.get(&(node as u16, host as u16)).copied(),
        };
        let distance = &self.distance[host];
        let is_nearer = move |link: &&u16| {
            let to = usize::from(self.links[usize::from(**link)].to);
            // A host is no way to another one.
            distance[to] < distance[node] && (to == host || to >= self.host_count)
        };
        let shortest = self.out[node].iter().filter(is_nearer).copied();
        chosen.into_iter().chain(shortest.filter(move |_| chosen.is_none()))
    }

    fn name(&self, node: usize) -> String {
        match node.checked_sub(self.host_count) {
            None => format!("h{node}"),
            Some(switch) => format!("s{switch}"),
        }
    }

    /// Every way ends at its host, and soon enough. Without chosen routes ways are the shortest, so it is
    /// enough to look at their length.
    fn check_ways(&self) -> Result<(), String> {
        for host in 0..self.host_count {
            for node in 0..self.out.len() {
                if self.distance[host][node] == NO_WAY && node < self.host_count {
                    return Err(format!("topology: there is no way from h{node} to h{host}"));
                }
            }
            let mut trail = vec![];
            let ends = if self.routes.is_empty() { 0..0 } else { self.host_count..self.out.len() };
            for node in ends {
                self.follow(node, host, &mut trail)?;
            }
            let longest = (0..self.host_count).map(|node| self.length(node, host)).max();
            if longest.is_some_and(|length| length > LINKS_MAX) {
                return Err(format!(
                    "topology: a way to h{host} has more than {LINKS_MAX} links, whose switches' \
                     records have no room in a packet"
                ));
            }
        }
        Ok(())
    }

    /// Looks for a loop on the ways from `node` to `host`.
    fn follow(&self, node: usize, host: usize, trail: &mut Vec<usize>) -> Result<(), String> {
        if node == host {
            return Ok(());
        }
        if let Some(at) = trail.iter().position(|seen| *seen == node) {
            let nodes: Vec<String> = trail[at..].iter().map(|node| self.name(*node)).collect();
            let first = self.name(node);
            return Err(format!(
                "topology.route: the way to h{host} is a loop: {}, {first}",
                nodes.join(", ")
            ));
        }
        trail.push(node);
        for link in self.next_links(node, host) {
            self.follow(usize::from(self.links[usize::from(link)].to), host, trail)?;
        }
        trail.pop();
        Ok(())
    }

    /// Links of the longest way from `node` to `host`.
    fn length(&self, node: usize, host: usize) -> usize {
        if self.routes.is_empty() {
            return usize::from(self.distance[host][node]);
        }
        let next = self.next_links(node, host);
        let rest = next.map(|link| usize::from(self.links[usize::from(link)].to));
        match node == host {
            true => 0,
            false => 1 + rest.map(|next| self.length(next, host)).max().unwrap_or(0),
        }
    }

    /// The way of a flow; of several next links its `key` chooses (ECMP).
    pub fn way(&self, src: usize, dst: usize, key: u64) -> Way {
        let (mut way, mut node) = (Way::default(), src);
        while node != dst {
            let count = self.next_links(node, dst).count() as u64;
            let choice = if count > 1 { random::hash(&[key, node as u64]) % count } else { 0 };
            let link = self.next_links(node, dst).nth(choice as usize).expect("ways were checked");
            way.links[usize::from(way.length)] = link;
            way.length += 1;
            node = usize::from(self.links[usize::from(link)].to);
        }
        way
    }

    /// Rate of the hosts' links, Gb/s.
    pub fn host_gbps(&self) -> u32 {
        self.links[usize::from(self.out[0][0])].gbps
    }

    /// The link by which a host sends.
    pub fn uplink(&self, host: usize) -> usize {
        usize::from(self.out[host][0])
    }

    /// Time there and back of a packet on a way, without any queue: `data_bytes` and `ack_bytes` on each
    /// of its links.
    pub fn round_trip_ps(&self, way: &Way, data_bytes: u64, ack_bytes: u64) -> u64 {
        let links = way.iter().map(|link| &self.links[link]);
        links.map(|l| 2 * l.delay_ps + (data_bytes + ack_bytes) * l.ps_per_byte()).sum()
    }

    /// Hosts that stand for all: two of those whose links are alike and lead to the same switch. With
    /// chosen routes no host stands for another.
    fn representatives(&self) -> Vec<usize> {
        let mut seen: BTreeMap<(u16, u64), usize> = BTreeMap::new();
        let is_needed = |host: &usize| {
            let link = &self.links[self.uplink(*host)];
            let count = seen.entry((link.to, link.delay_ps)).or_default();
            *count += 1;
            *count <= 2 || !self.routes.is_empty()
        };
        (0..self.host_count).filter(is_needed).collect()
    }

    /// The longest round trip of all pairs.
    pub fn longest_round_trip_ps(&self, data_bytes: u64, ack_bytes: u64) -> u64 {
        let hosts = self.representatives();
        let pairs = hosts.iter().flat_map(|src| hosts.iter().map(move |dst| (*src, *dst)));
        let trips = pairs
            .filter(|(src, dst)| src != dst)
            .map(|(src, dst)| self.round_trip_ps(&self.way(src, dst, 0), data_bytes, ack_bytes));
        trips.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scenario::LinkSpec;
    use super::*;

    fn custom(links: &[(&str, &str)], routes: &[(&str, &str, &str)]) -> Result<Topology, String> {
        let link = |(a, b): &(&str, &str)| LinkSpec {
            a: a.to_string(),
            b: b.to_string(),
            gbps: 100,
            delay_ns: 1000,
        };
        let route = |(at, to, via): &(&str, &str, &str)| RouteSpec {
            at: at.to_string(),
            to: to.to_string(),
            via: via.to_string(),
        };
        let spec = TopologySpec {
            switches: Some(3),
            link: links.iter().map(link).collect(),
            route: routes.iter().map(route).collect(),
            ..TopologySpec::new(Kind::Custom, 2)
        };
        Topology::new(&spec)
    }

    #[test]
    fn topology_of_the_paper_has_its_round_trips() {
        let star = Topology::new(&TopologySpec::new(Kind::Star, 17)).unwrap();
        assert_eq!(star.longest_round_trip_ps(1000, 0), 4_160_000);
        let tree = Topology::new(&TopologySpec::new(Kind::FatTree, 320)).unwrap();
        assert_eq!((tree.links.len(), tree.switch_count), (960, 56));
        assert_eq!(tree.longest_round_trip_ps(1000, 0), 12_240_000);
        assert_eq!(tree.classes.len(), 6);
    }

    #[test]
    fn topology_spreads_ways_over_all_cores() {
        let tree = Topology::new(&TopologySpec::new(Kind::FatTree, 320)).unwrap();
        let mut cores = std::collections::BTreeMap::new();
        for key in 0..16_000 {
            let way = tree.way(0, 319, key);
            assert_eq!(way.length, 6);
            *cores.entry(tree.links[usize::from(way.links[2])].to).or_insert(0) += 1;
        }
        assert_eq!(cores.len(), 16);
        assert!(cores.values().all(|count| (800..1200).contains(count)), "{cores:?}");
    }

    #[test]
    fn topology_finds_loops_and_missing_ways() {
        let ring = [("h0", "s0"), ("s0", "s1"), ("s1", "s2"), ("s2", "s0"), ("h1", "s2")];
        assert_eq!(custom(&ring, &[]).unwrap().way(0, 1, 0).length, 3);
        let long = custom(&ring, &[("s0", "h1", "s1")]).unwrap();
        assert_eq!(long.way(0, 1, 0).length, 4);
        let error = custom(&ring, &[("s0", "h1", "s1"), ("s1", "h1", "s0")]).unwrap_err();
        assert!(error.contains("loop: s0, s1, s0"), "{error}");
        let error = custom(&[("h0", "s0"), ("h1", "s1")], &[]).unwrap_err();
        assert!(error.contains("no way from h1 to h0"), "{error}");
        let error = custom(&[("h0", "s0"), ("h7", "s0")], &[]).unwrap_err();
        assert!(error.contains("no node \"h7\""), "{error}");
        let error = custom(&[("h0", "s0")], &[]).unwrap_err();
        assert!(error.contains("h1 has 0 links"), "{error}");
    }
}
