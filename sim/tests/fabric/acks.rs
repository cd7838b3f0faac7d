//! ACKs of a run through the congestion control unit.

use super::scenario;
use nic_harness::lockstep::GoldenOnly;
use nic_models::golden::cc::wide::unit::CcUnitWide;
use nic_sim::fabric::acks::{play, PlayError};
use nic_sim::fabric::engine::Watch;
use nic_sim::fabric::Plan;
use nic_spec::NicConfig;

#[test]
fn fabric_acks_give_the_unit_the_windows_of_the_hosts() {
    let text = "[topology]\nkind = 'star'\nhosts = 9\n[incast]\nsenders = 8\nbytes = 300000\n";
    let plan = Plan::new(&scenario(text)).expect("it can be run");
    let watch = Watch { acks: 2000, ..Watch::default() };
    let mut acks = plan.run(&watch, &Default::default()).expect("all flows end").acks;
    assert_eq!(acks.len(), 2000);
    let hpcc = plan.control.hpcc().expect("it is HPCC");
    let config = NicConfig::preset("hundred").expect("it is a preset");
    let unit = || GoldenOnly(CcUnitWide::new(&config));
    let played = play(&mut unit(), hpcc, config.flow_count, &acks, || {}).expect("all are equal");
    assert_eq!((played.acks, played.flows), (2000, 8));
    let used = acks.iter().filter(|ack| ack.pace.is_some()).count() as u64;
    assert!(played.equal == used && used > 1900, "{played:?}");

    // The check can fail.
    let planted = acks.iter_mut().filter_map(|ack| ack.pace.as_mut()).nth(1000);
    planted.expect("there are more").window_bytes += 1;
    let error = play(&mut unit(), hpcc, config.flow_count, &acks, || {}).unwrap_err();
    assert!(matches!(error, PlayError::Differs { .. }), "{error}");
    let error = play(&mut unit(), hpcc, 4, &acks, || {}).unwrap_err();
    assert!(matches!(error, PlayError::Flows(4)), "{error}");
}
