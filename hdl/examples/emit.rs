fn main() {
    let a: Vec<String> = std::env::args().collect();
    let cfg = nic_spec::config::NicConfig::preset("gbe").unwrap();
    let names = if a[1] == "all" {
        nic_hdl::emit::blocks(&cfg)
    } else {
        vec![Box::leak(a[1].clone().into_boxed_str()) as &str]
    };
    for n in names {
        match nic_hdl::emit::by_name(n, &cfg) {
            Ok(d) => {
                println!("{n}: ok, unused {:?}", d.unused);
                d.write_dir(
                    &std::path::Path::new(&a[2]).join(n),
                    nic_hdl::emit::Layout::FilePerModule,
                )
                .unwrap();
            }
            Err(e) => println!("{n}: REFUSED\n{e}"),
        }
    }
}
