//! The steps of an ACK and of a flow command, in the order of the draft.

use super::assembler::Program;
use super::operands::*;

/// The rows.
pub fn rows() -> Vec<u32> {
    let mut program = Program::default();
    program.decide();
    program.check_hop();
    program.measure_hop();
    program.average();
    program.window();
    program.clamp();
    program.state();
    program.ends();
    program.finish()
}

impl Program {
    /// Behind the normalising of the sum: the factor becomes the mantissa of 1/sum.
    fn mantissa(&mut self) {
        self.act(Act::Segment);
        self.nothing();
        self.copy(FALL, To::AddendLowAlone);
        self.steps(Act::Multiply, 13);
        self.copy(START, To::AddendLowAlone);
        self.act(Act::Subtract);
        self.copy(SUM_LOW, To::Factor);
    }

    fn decide(&mut self) {
        self.label("idle");
        self.wait_for_event();
        self.note(TIMER | CLEAR);
        self.jump(If::IsCommand, true, "command");
        self.jump(If::HasTelemetry, false, "drop");
        self.copy(Word(ADAPTS as u32), To::SumLowAlone);
        self.jump(If::IsZero, true, "drop");
        self.jump(If::ChecksPsn, false, "sent");
        self.copy(SND_NXT, To::AddendHighAlone);
        self.copy(ACK_PSN, To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsZero, true, "never sent");
        self.jump(If::IsNegative, true, "never sent");
        self.label("sent");
        self.copy(Word(KEY), To::SumHighAlone);
        self.jump(If::IsNegative, false, "not due");
        self.jump(If::ByTime, true, "by time");
        self.copy(ACK_PSN, To::AddendHighAlone);
        self.copy(Word(LAST_PSN), To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsZero, true, "not due");
        self.jump(If::IsNegative, true, "not due");
        self.goto("due");
        self.label("by time");
        self.copy(SND_NXT, To::AddendHighAlone);
        self.copy(ACK_PSN, To::SumHighAlone);
        self.act(Act::Subtract);
        self.copy(SUM_HIGH, To::Word(HALF_HIGH));
        self.copy(Word(LAST_PSN), To::AddendHighAlone);
        self.copy(ACK_PSN, To::SumHighAlone);
        self.act(Act::Subtract);
        self.copy(Word(HALF_HIGH), To::AddendHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "not due");
        self.label("due");
        self.flag(FULL);
        self.label("not due");
        self.jump(If::IsUsable, false, "hold");
        self.copy(NEW_KEY, To::AddendHighAlone);
        self.copy(Word(KEY), To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsZero, true, "update");
        self.flag(FULL);
        self.flag(FIRST);
        self.wait_for_time();
        self.label("first");
        self.store_record();
        self.jump(If::IsLastHop, true, "stored");
        self.note(NEXT_HOP);
        self.goto("first");
        self.label("stored");
        self.copy(NEW_KEY, To::Word(KEY));
        self.goto("keep");
        self.label("hold");
        self.wait_for_time();
        self.label("keep");
        self.addend(Word(W_HIGH), Word(W_LOW));
        self.act(Act::Clear);
        self.act(Act::Add);
        self.goto("clamp");
    }

    fn store_record(&mut self) {
        self.copy(NEW_TIME, To::Hop(TIME));
        self.copy(NEW_SENT, To::Hop(SENT));
        self.copy(NEW_QUEUE, To::Hop(QUEUE));
    }

    /// tau, what was sent, and what no honest network says.
    fn check_hop(&mut self) {
        self.label("update");
        self.wait_for_time();
        self.label("hop");
        self.note(TIMER);
        self.copy(NEW_TIME, To::AddendHighAlone);
        self.copy(Hop(TIME), To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsNegative, false, "tau");
        self.jump(If::ChecksTime, false, "tau");
        self.flag(BAD_TIME);
        self.label("tau");
        self.shift(40);
        self.copy(SUM_LOW, To::Word(TAU));
        self.copy(NEW_QUEUE, To::AddendLowAlone);
        self.copy(QUEUE_MAX, To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "units");
        self.jump(If::IsZero, true, "units");
        self.flag(BAD_QUEUE);
        self.label("units");
        self.copy(NEW_SENT, To::AddendHighAlone);
        self.copy(ZERO, To::SumHighAlone);
        self.jump(If::ByUse, true, "in use");
        self.copy(Hop(SENT), To::SumHighAlone);
        self.label("in use");
        self.act(Act::Subtract);
        self.copy(SUM_HIGH, To::Word(UNITS));
        self.jump(If::ChecksBytes, false, "queue");
        self.copy(Word(TAU), To::AddendLowAlone);
        self.copy(LINE, To::Factor);
        self.multiply(9);
        self.shift(1);
        self.exponent(Exponent::Multi);
        self.steps(Act::ShiftExponent, 7);
        self.copy(SLACK_UNITS, To::AddendLowAlone);
        self.act(Act::Add);
        self.copy(SUM_LOW, To::AddendLowAlone);
        self.copy(Word(UNITS), To::SumHighAlone);
        self.shift(44);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "queue");
        self.flag(BAD_BYTES);
    }

    /// u' of the hop, and whether it is the worst one.
    fn measure_hop(&mut self) {
        self.label("queue");
        self.jump(If::HasRate, false, "next");
        self.copy(Word(TAU), To::SumLowAlone);
        self.jump(If::IsZero, true, "next");
        self.copy(Hop(QUEUE), To::Factor);
        self.copy(NEW_QUEUE, To::AddendLowAlone);
        self.copy(Hop(QUEUE), To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "queued");
        self.copy(NEW_QUEUE, To::Factor);
        self.label("queued");
        self.addend(QUEUE_GAIN_HIGH, QUEUE_GAIN_LOW);
        self.multiply(17);
        self.store(HALF_HIGH, HALF_LOW);
        self.jump(If::ByUse, true, "of use");
        self.copy(Word(TAU), To::SumLowAlone);
        self.copy(ZERO, To::Factor);
        self.exponent(Exponent::Zero);
        self.steps(Act::Normalise, 9);
        self.mantissa();
        self.jump(If::BySojourn, false, "rate");
        self.exponent(Exponent::AddCode);
        self.goto("rate");
        self.label("of use");
        self.copy(UTIL_GAIN, To::Factor);
        self.exponent(Exponent::OfUse);
        self.jump(If::BySojourn, true, "rate");
        self.exponent(Exponent::LessCode);
        self.label("rate");
        self.copy(Word(UNITS), To::AddendHighAlone);
        self.multiply(22);
        self.steps(Act::ShiftExponent, 10);
        self.shift(8);
        self.addend(Word(HALF_HIGH), Word(HALF_LOW));
        self.act(Act::Add);
        self.jump(If::BySojourn, true, "over rate");
        self.jump(If::Is40Gbps, true, "40 Gb/s");
        self.exponent(Exponent::Code);
        self.steps(Act::ShiftExponent, 4);
        self.goto("over rate");
        self.label("40 Gb/s");
        self.shift(1);
        self.addend(SUM_HIGH, SUM_LOW);
        self.shift(2);
        self.act(Act::Add);
        self.label("over rate");
        self.store(HALF_HIGH, HALF_LOW);
        self.jump(If::Some, false, "worst");
        self.addend(Word(WORST_HIGH), Word(WORST_LOW));
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "next");
        self.label("worst");
        self.note(1 << 5 | SOME << 6 | IS_WORST);
        self.copy(Word(HALF_HIGH), To::Word(WORST_HIGH));
        self.copy(Word(HALF_LOW), To::Word(WORST_LOW));
        self.copy(Word(TAU), To::Word(WORST_TAU));
        self.label("next");
        self.store_record();
        self.wait_for_time();
        self.jump(If::IsLastHop, true, "judge");
        self.note(NEXT_HOP);
        self.goto("hop");
    }

    fn average(&mut self) {
        self.label("judge");
        self.jump(If::IsBad, true, "bad");
        self.note(TIMER);
        self.jump(If::Some, false, "wind");
        self.copy(T, To::AddendLowAlone);
        self.copy(Word(WORST_TAU), To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "all");
        self.copy(SUM_LOW, To::Word(TAU));
        self.copy(SUM_LOW, To::AddendLowAlone);
        self.copy(Word(WORST_TAU), To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "part");
        // The rest of T, from u' to U.
        self.copy(Word(TAU), To::AddendLowAlone);
        self.copy(Word(U_HIGH), To::Word(HALF_HIGH));
        self.copy(Word(U_LOW), To::Word(HALF_LOW));
        self.copy(Word(WORST_HIGH), To::Word(U_HIGH));
        self.copy(Word(WORST_LOW), To::Word(U_LOW));
        self.copy(Word(HALF_HIGH), To::Word(WORST_HIGH));
        self.copy(Word(HALF_LOW), To::Word(WORST_LOW));
        self.goto("share");
        self.label("all");
        self.copy(Word(WORST_HIGH), To::Word(U_HIGH));
        self.copy(Word(WORST_LOW), To::Word(U_LOW));
        self.goto("wind");
        self.label("part");
        self.copy(Word(WORST_TAU), To::AddendLowAlone);
        self.label("share");
        self.copy(INV_T, To::Factor);
        self.multiply(32);
        self.copy(SUM_LOW, To::Word(UNITS));
        self.jump(If::IsZero, true, "way");
        self.shift(8);
        self.label("way");
        self.addend(Word(WORST_HIGH), Word(WORST_LOW));
        self.sum(Word(U_HIGH), Word(U_LOW));
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "distance");
        self.flag(FALLS);
        self.addend(Word(U_HIGH), Word(U_LOW));
        self.sum(Word(WORST_HIGH), Word(WORST_LOW));
        self.act(Act::Subtract);
        self.label("distance");
        self.addend(SUM_HIGH, SUM_LOW);
        self.copy(Word(UNITS), To::SumLowAlone);
        self.jump(If::IsZero, true, "fine");
        self.multiply(32);
        self.goto("go");
        self.label("fine");
        self.multiply(32);
        self.shift(8);
        self.label("go");
        self.addend(Word(U_HIGH), Word(U_LOW));
        self.jump(If::Falls, true, "falls");
        self.act(Act::Add);
        self.goto("moved");
        self.label("falls");
        self.act(Act::Subtract);
        self.label("moved");
        self.store(U_HIGH, U_LOW);
    }

    fn window(&mut self) {
        self.label("wind");
        self.addend(Word(U_HIGH), Word(U_LOW));
        self.copy(TARGET, To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "scale");
        self.copy(Word(INC_STAGE), To::AddendHighAlone);
        self.copy(MAX_STAGE, To::SumHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, false, "scale");
        self.addend(Word(WC_HIGH), Word(WC_LOW));
        self.goto("step");
        self.label("scale");
        self.flag(SCALES);
        self.sum(Word(U_HIGH), Word(U_LOW));
        self.copy(ZERO, To::Factor);
        self.jump(If::IsZero, true, "top");
        self.exponent(Exponent::Zero);
        self.steps(Act::Normalise, 14);
        self.mantissa();
        self.copy(TARGET, To::AddendLowAlone);
        self.multiply(22);
        self.copy(SUM_LOW, To::Factor);
        self.addend(Word(WC_HIGH), Word(WC_LOW));
        self.multiply(32);
        self.steps(Act::ShiftExponent, 13);
        self.jump(If::IsWide, true, "top");
        self.addend(SUM_LOW, LOW);
        self.goto("step");
        self.label("top");
        self.addend(ALL_ONES, HIGH_ONES);
        self.label("step");
        // W_ai may change at any time: when it is read depends on nothing but the hops.
        self.wait_for_time();
        self.sum(W_AI_HIGH, W_AI_LOW);
        self.act(Act::Add);
    }

    fn clamp(&mut self) {
        self.label("clamp");
        self.note(TIMER);
        self.jump(If::IsLess, true, "most");
        self.store(HALF_HIGH, HALF_LOW);
        self.copy(W_INIT, To::AddendHighAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "most");
        self.addend(Word(HALF_HIGH), Word(HALF_LOW));
        self.sum(W_MIN_HIGH, W_MIN_LOW);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "least");
        self.copy(Word(HALF_HIGH), To::Word(W_HIGH));
        self.copy(Word(HALF_LOW), To::Word(W_LOW));
        self.goto("pace");
        self.label("most");
        self.copy(W_INIT, To::Word(W_HIGH));
        self.copy(ZERO, To::Word(W_LOW));
        self.goto("pace");
        self.label("least");
        self.copy(W_MIN_HIGH, To::Word(W_HIGH));
        self.copy(W_MIN_LOW, To::Word(W_LOW));
        self.label("pace");
        self.addend(Word(W_HIGH), Word(W_LOW));
        self.copy(RATE_GAIN, To::Factor);
        self.multiply(32);
        self.shift(14);
        self.copy(SUM_LOW, To::Word(RATE));
        self.copy(RATE_MAX, To::AddendLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "fast");
        self.copy(Word(RATE), To::AddendLowAlone);
        self.copy(RATE_MIN, To::SumLowAlone);
        self.act(Act::Subtract);
        self.jump(If::IsLess, true, "slow");
        self.goto("state");
        self.label("fast");
        self.copy(RATE_MAX, To::Word(RATE));
        self.goto("state");
        self.label("slow");
        self.copy(RATE_MIN, To::Word(RATE));
    }

    fn state(&mut self) {
        self.label("state");
        self.jump(If::IsCommand, true, "begin");
        self.jump(If::Full, false, "show");
        self.copy(SND_NXT, To::Word(LAST_PSN));
        self.jump(If::First, true, "show");
        self.jump(If::IsUsable, false, "show");
        self.copy(Word(W_HIGH), To::Word(WC_HIGH));
        self.copy(Word(W_LOW), To::Word(WC_LOW));
        self.jump(If::Scales, true, "scaled");
        self.copy(Word(INC_STAGE), To::AddendHighAlone);
        self.copy(ONE_STAGE, To::SumHighAlone);
        self.act(Act::Add);
        self.copy(SUM_HIGH, To::Word(INC_STAGE));
        self.goto("show");
        self.label("scaled");
        self.copy(ZERO, To::Word(INC_STAGE));
        self.goto("show");
        self.label("begin");
        self.copy(COMMAND_ADAPTS, To::Word(ADAPTS as u32));
        self.copy(ZERO, To::Word(KEY));
        self.copy(ZERO, To::Word(LAST_PSN));
        self.copy(ZERO, To::Word(INC_STAGE));
        self.copy(ZERO, To::Word(U_HIGH));
        self.copy(U_ONE, To::Word(U_LOW));
        self.copy(Word(W_HIGH), To::Word(WC_HIGH));
        self.copy(Word(W_LOW), To::Word(WC_LOW));
        self.jump(If::CommandAdapts, true, "show");
        self.copy(COMMAND_WINDOW, To::Word(W_HIGH));
        self.copy(COMMAND_RATE, To::Word(RATE));
        self.label("show");
        self.wait_for_time();
        self.wait(If::ResultWaits, false);
        let fields = [W_HIGH, RATE, U_HIGH, U_LOW, WC_HIGH, WC_LOW, LAST_PSN, INC_STAGE];
        for (field, word) in (0..).zip(fields) {
            self.copy(Word(word), To::Result(field));
        }
        self.note(SHOW | DONE);
        // A cycle without a look: in that of `ready` the event is still offered.
        self.goto("idle");
    }

    /// The ways on which nothing is shown, and how a command begins.
    fn ends(&mut self) {
        self.label("command");
        self.copy(COMMAND_WINDOW, To::AddendHighAlone);
        self.act(Act::Clear);
        self.act(Act::Add);
        self.goto("clamp");
        self.label("drop");
        self.wait_for_time();
        self.note(DONE);
        self.goto("idle");
        self.label("never sent");
        self.wait_for_time();
        self.note(DONE | NEVER_SENT);
        self.goto("idle");
        self.label("bad");
        self.note(DONE | BAD);
        self.goto("idle");
    }
}
