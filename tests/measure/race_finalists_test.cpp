// Races of finalists, in which no candidate is given up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/race/process_range.h"
#include "tests/measure/synthetic_kernels.h"

namespace nestwright {
namespace {

using ::testing::SizeIs;

TEST(RaceFinalists, EveryoneGetsAllSamplesInterleavedInEightProcesses) {
  SyntheticMachine machine({{0, 1e6}, {1, 1.9e6}});
  const std::vector<Timing> timings = machine.race_finalists(2);
  EXPECT_EQ(machine.kernels.processes, 8);
  for (const Timing& timing : timings) {
    EXPECT_THAT(timing.samples_ns, SizeIs(40));
    EXPECT_THAT(process_medians(timing), SizeIs(8));
    EXPECT_FALSE(timing.ended_early);
    EXPECT_EQ(timing.passes, timings[0].passes);
  }
  EXPECT_DOUBLE_EQ(timings[1].median_ns, 1.9e6);
  for (std::size_t i = 0; i + 1 < machine.kernels.order.size(); i += 2) {
    EXPECT_NE(machine.kernels.order[i], machine.kernels.order[i + 1]) << "one of each in a pass";
  }
}

TEST(RaceFinalists, LongOnesGetFewerSamplesAllOfThemAsMany) {
  SyntheticMachine machine({{0, 50e6}, {1, 90e6}});
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_THAT(timing.samples_ns, SizeIs(24)) << "150 ms";
  machine.kernels.call_ns = {{0, 900e6}, {1, 1000e6}};
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_THAT(timing.samples_ns, SizeIs(8));
}

// Differences between processes do not average out within one process.
TEST(RaceFinalists, MoreProcessesAreStartedUntilTheTwoFastestAreToldApartPrecisely) {
  struct Row {
    double spread;
    int min, max;
  };
  for (const Row& row : {Row{0.002, 8, 8}, Row{0.009, 9, 15}, Row{0.06, 16, 16}}) {
    SyntheticMachine machine({{0, 1.00e6}, {1, 1.01e6}, {2, 1.5e6}});
    std::mt19937_64 random(3);
    std::normal_distribution<double> differs(1, row.spread);
    std::map<int, double> factors;
    machine.kernels.on_new_process = [&] { factors = {{0, differs(random)}, {1, differs(random)}, {2, 1}}; };
    machine.kernels.slowdown = [&](int id) { return factors.at(id); };
    machine.race_finalists(3);
    EXPECT_GE(machine.kernels.processes, row.min) << row.spread;
    EXPECT_LE(machine.kernels.processes, row.max) << row.spread;
  }
}

TEST(RaceFinalists, TheOthersMayScatterAsTheyLike) {
  SyntheticMachine machine({{0, 1.00e6}, {1, 1.01e6}, {2, 1.5e6}});
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  machine.kernels.slowdown = [&](int id) { return id == 2 ? noise(random) : 1.0; };
  machine.race_finalists(3);
  EXPECT_EQ(machine.kernels.processes, 8);
}

// Each process favours one of two equal kernels by a percent: many samples in few processes would separate them.
TEST(RaceFinalists, TwoCopiesOfOneKernelAreSeldomToldApart) {
  constexpr int kRaces = 400;
  int told_apart = 0;
  for (int race = 0; race < kRaces; ++race) {
    SyntheticMachine machine({{0, 1e6}, {1, 1e6}});
    machine.finalist_conditions.seed = static_cast<std::uint64_t>(race);
    std::mt19937_64 random(static_cast<std::uint64_t>(race));
    std::normal_distribution<double> differs(1, 0.01), noise(1, 0.002);
    std::map<int, double> factors;
    machine.kernels.on_new_process = [&] { factors = {{0, differs(random)}, {1, differs(random)}}; };
    machine.kernels.slowdown = [&](int id) { return factors.at(id) * noise(random); };
    const std::vector<Timing> timings = machine.race_finalists(2);
    const MedianInterval ratio = ratio_between(timings[1], timings[0]);
    told_apart += ratio.low > 1 || ratio.high < 1;
  }
  EXPECT_LE(told_apart, 0.05 * kRaces);
  EXPECT_GE(told_apart, 0.005 * kRaces);
}

TEST(RaceFinalists, NineOfTenFurtherProcessesAreWithinTheInterval) {
  constexpr int kRaces = 300;
  int met = 0;
  for (int race = 0; race < kRaces; ++race) {
    SyntheticMachine machine({{0, 1e6}, {1, 1.2e6}});
    std::mt19937_64 random(static_cast<std::uint64_t>(race));
    std::normal_distribution<double> differs(1, 0.01);
    double factor = 1;
    machine.kernels.on_new_process = [&] { factor = differs(random); };
    machine.kernels.slowdown = [&](int id) { return id == 1 ? factor : 1; };
    const Timing timing = machine.race_finalists(2)[1];
    const double next = 1.2e6 * differs(random);
    met += timing.low_ns <= next && next <= timing.high_ns;
  }
  EXPECT_GE(met, 0.85 * kRaces);  // three standard deviations of the simulation are 5%
  EXPECT_LE(met, 0.95 * kRaces);
}

// A race without time for three processes cannot predict the next one.
TEST(RaceFinalists, FewerProcessesThanThreeAreNoTiming) {
  for (const int processes : {1, 2, 3}) {
    SyntheticMachine machine({{0, 1e6}, {1, 1.2e6}});
    machine.finalist_conditions.limits.seconds_left = [&] { return machine.kernels.processes < processes ? 1e9 : 0; };
    for (const Timing& timing : machine.race_finalists(2)) {
      const std::string said =
          processes < 3 ? "the time was over after " + std::to_string(processes) + " of 3 processes" : "";
      EXPECT_EQ(timing.disturbance, said);
      EXPECT_EQ(timing.is_short, processes < 3);
    }
  }
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  machine.finalist_conditions.timing.finalist_processes = machine.finalist_conditions.timing.max_finalist_processes = 2;
  EXPECT_FALSE(machine.race_finalists(1)[0].is_disturbed()) << "who asks for two gets two";
}

/// The seconds that are left of a budget that starts now.
std::function<double()> seconds_left(SyntheticMachine& machine, double budget_s) {
  const std::int64_t start = machine.kernels.clock.now_ns();
  return [&machine, budget_s, start] {
    return budget_s - 1e-9 * static_cast<double>(machine.kernels.clock.now_ns() - start);
  };
}

// Two kernels of a millisecond whose processes take 50 ms to start: 16 processes of 5 passes of 4.2 ms need 1.1 s.
TEST(RaceFinalists, EndWithinTheirSeconds) {
  struct Row {
    double budget_s;
    int least_processes, least_samples;
  };
  for (const Row& row :
       {Row{10, 8, 5}, Row{0.6, 8, 3}, Row{0.35, 4, 3}, Row{0.2, 3, 1}, Row{0.13, 2, 1}, Row{0.07, 1, 1}}) {
    SyntheticMachine machine({{0, 1e6}, {1, 1.01e6}});
    machine.kernels.on_new_process = [&] { machine.kernels.clock.advance(50'000'000); };
    machine.finalist_conditions.limits.seconds_left = seconds_left(machine, row.budget_s);
    const Timing timing = machine.race_finalists(2)[0];
    EXPECT_GE(machine.finalist_conditions.limits.seconds_left(), 0) << row.budget_s;
    EXPECT_GE(machine.kernels.processes, row.least_processes) << row.budget_s;
    EXPECT_GE(timing.samples_ns.size(), static_cast<std::size_t>(row.least_processes * row.least_samples));
    EXPECT_EQ(timing.is_short, machine.kernels.processes < 3) << row.budget_s;
  }
}

TEST(RaceFinalists, ReadingsAreAsLongAsTheTimeAllowsFor) {
  const auto longest_ns = [](double budget_s) {
    SyntheticMachine machine({{0, 1e6}, {1, 1.01e6}});
    machine.finalist_conditions.timing.finalist_sample_ns = 10e6;
    machine.finalist_conditions.limits.seconds_left = seconds_left(machine, budget_s);
    machine.race_finalists(2);
    return 1e6 * static_cast<double>(machine.kernels.calls[0].back());
  };
  EXPECT_EQ(longest_ns(60), 10e6);
  EXPECT_GT(longest_ns(0.7), 2e6) << "80 readings, with what is around them";
  EXPECT_LT(longest_ns(0.7), 10e6);
  EXPECT_EQ(longest_ns(0.01), 2e6);
}

TEST(RaceFinalists, ReadingsThatScatterAreTakenUntilTheMedianOfAProcessStandsStill) {
  const auto samples_of_a_process = [](double deviation) {
    SyntheticMachine machine({{0, 1e6}, {1, 1.01e6}});
    machine.kernels.scatter(deviation);
    const Timing timing = machine.race_finalists(2)[0];
    return static_cast<double>(timing.samples_ns.size()) / static_cast<double>(process_medians(timing).size());
  };
  EXPECT_EQ(samples_of_a_process(0.002), 5);
  EXPECT_GT(samples_of_a_process(0.02), 6);
  EXPECT_GT(samples_of_a_process(0.1), 14);
}

TEST(RaceFinalists, ReadingsAreFewerWhereTheProcessesDifferMore) {
  SyntheticMachine machine({{0, 1e6}, {1, 1.01e6}});
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(1, 0.04), differs(1, 0.2);
  double process = 1;
  machine.kernels.on_new_process = [&] { process = std::max(0.5, differs(random)); };
  machine.kernels.slowdown = [&](int) { return process * noise(random); };
  const Timing timing = machine.race_finalists(2)[0];
  std::map<int, int> samples;
  for (const int each : timing.processes) ++samples[each];
  EXPECT_GT(samples[1], 10) << "of the first process alone, nobody knows";
  EXPECT_LT(samples[6] + samples[7] + samples[8], 3 * 8);
}

// Both threads of a process on one processor, for example.
TEST(RaceFinalists, AProcessThatIsSlowForAllKernelsIsRepeated) {
  SyntheticMachine machine({{0, 1e6}, {1, 1.02e6}, {2, 1.2e6}});
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(1, 0.002);
  machine.kernels.slowdown = [&](int) { return noise(random) * (machine.kernels.processes == 4 ? 1.8 : 1); };
  const Timing timing = machine.race_finalists(3)[0];
  EXPECT_EQ(machine.kernels.processes, 9);
  EXPECT_FALSE(timing.is_disturbed());
  EXPECT_NEAR(timing.median_ns, 1e6, 0.005e6);
  EXPECT_LT(timing.high_ns, 1.02e6) << "the slow process does not widen the range";
  const ProcessRange range = process_range(process_medians(timing));
  EXPECT_EQ(slow_text(range), "1 of 9 processes took 1.8 times as long");
}

TEST(RaceFinalists, AProcessThatIsSlowForOneKernelIsNotRepeated) {
  SyntheticMachine machine({{0, 1e6}, {1, 1.02e6}, {2, 1.2e6}});
  machine.kernels.slowdown = [&](int id) { return machine.kernels.processes == 4 && id == 2 ? 1.8 : 1; };
  const Timing timing = machine.race_finalists(3)[2];
  EXPECT_EQ(machine.kernels.processes, 8);
  EXPECT_EQ(slow_text(process_range(process_medians(timing))), "1 of 8 processes took 1.8 times as long");
}

TEST(RaceFinalists, OneThatTakesTwiceAsLongGetsThreeProcesses) {
  SyntheticMachine machine({{0, 1e6}, {1, 2.1e6}, {2, 1.9e6}});
  const std::vector<Timing> timings = machine.race_finalists(3);
  EXPECT_THAT(process_medians(timings[1]), SizeIs(3));
  EXPECT_FALSE(timings[1].is_disturbed());
  EXPECT_THAT(process_medians(timings[2]), SizeIs(8));
  machine.kernels.call_ns = {{0, 2.1e6}, {1, 1e6}};
  EXPECT_THAT(process_medians(machine.race_finalists(2)[0]), SizeIs(8)) << "the others are paired with the first";
}

TEST(RaceFinalists, OneThatTakesThreeTimesAsLongIsReadOnceInEachOfThreeProcesses) {
  SyntheticMachine machine({{0, 1e6}, {1, 3.2e6}, {2, 1.9e6}});
  const std::vector<Timing> timings = machine.race_finalists(3);
  EXPECT_THAT(timings[1].samples_ns, SizeIs(3));
  EXPECT_FALSE(timings[1].is_disturbed());
  EXPECT_DOUBLE_EQ(timings[1].median_ns, 3.2e6);
}

TEST(RaceFinalists, ReportAfterEachProcessHowFarTheyAre) {
  SyntheticMachine machine({{0, 1e6}, {1, 1.5e6}});
  machine.kernels.on_new_process = [&] { machine.kernels.clock.advance(50'000'000); };
  std::vector<RaceProgress> reports;
  machine.finalist_conditions.limits.on_process = [&](const RaceProgress& progress) { reports.push_back(progress); };
  machine.race_finalists(2);
  ASSERT_THAT(reports, SizeIs(8));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(reports[i].done, i + 1);
    EXPECT_EQ(reports[i].of, 8);
    EXPECT_NEAR(reports[i].seconds_left, 0.07 * (7 - i), 0.005 * (7 - i)) << "50 ms and 5 passes of 3.5 to 4 ms each";
  }
  reports.clear();
  machine.finalist_conditions.limits.seconds_left = seconds_left(machine, 0.3);
  machine.race_finalists(2);
  EXPECT_LT(reports.front().of, 8) << "as many as there is time for";
  EXPECT_EQ(reports.back().of, machine.kernels.processes - 8);
  EXPECT_EQ(reports.back().seconds_left, 0);
}

TEST(RaceFinalists, ScoresAreInTheUnitOfTheFirstWhateverTheClockDoes) {
  SyntheticMachine machine({{0, 1.00e6}, {1, 0.98e6}, {2, 1.05e6}});
  double clock = 1;
  machine.kernels.slowdown = [&](int) { return clock *= 1.002; };
  machine.kernels.disturb = [&](int, Reading& reading) { reading.fma_ns *= clock; };
  const std::vector<Timing> timings = machine.race_finalists(3);
  EXPECT_GT(clock, 1.15);
  EXPECT_NEAR(timings[1].median_ns / timings[0].median_ns, 0.98, 0.004);
  EXPECT_NEAR(timings[2].median_ns / timings[0].median_ns, 1.05, 0.004);
  const MedianInterval ratio = ratio_between(timings[2], timings[1]);
  EXPECT_NEAR(ratio.median, 1.05 / 0.98, 0.004);
  EXPECT_GT(ratio.low, 1.05);
  EXPECT_LT(ratio.high, 1.09);
}

TEST(RaceFinalists, OneThatFailsIsNoUnit) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}, {2, 3e6}});
  machine.kernels.fails_at = {{0, 3}};
  const std::vector<Timing> timings = machine.race_finalists(3);
  EXPECT_THAT(timings[1].samples_ns, SizeIs(40));
  EXPECT_DOUBLE_EQ(timings[1].median_ns, 2e6);
  EXPECT_DOUBLE_EQ(timings[2].median_ns, 3e6);
  EXPECT_THAT(timings[0].samples_ns, SizeIs(2)) << "what was taken until then";
}

TEST(RaceFinalists, WhereAllFailThereIsNoTime) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}});
  machine.kernels.fails_at = {{0, 1}, {1, 1}};
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_EQ(timing.median_ns, 0);
  EXPECT_EQ(machine.kernels.processes, 1);
}

TEST(RaceFinalists, EndsBetweenTwoPassesWhereItIsOver) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}});
  machine.finalist_conditions.limits.seconds_left = [&] { return machine.kernels.samples_of(0) < 7 ? 1e9 : 0; };
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_THAT(timing.samples_ns, SizeIs(7));
  EXPECT_EQ(machine.kernels.processes, 2);
  machine.finalist_conditions.limits.seconds_left = [] { return 0; };
  for (const Timing& timing : machine.race_finalists(2)) {
    EXPECT_THAT(timing.samples_ns, SizeIs(1)) << "an interrupted race still knows a time of each";
  }
}

TEST(RaceFinalists, OnADisturbedMachineTheyAreMarked) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}});
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  for (const Timing& timing : machine.race_finalists(2)) {
    EXPECT_EQ(timing.disturbance, "a thread waited 1000 us for a processor");
    EXPECT_GT(timing.median_ns, 0);
  }
}

TEST(RaceFinalists, ProcessesThatWereDisturbedDoNotCount) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}}, 0);
  int disturbed_from = 4;
  machine.kernels.disturb = [&](int, Reading& reading) {
    if (machine.kernels.processes < disturbed_from) return;
    reading.queue_ns = 1e6;
    reading.ns *= 2;
  };
  for (const Timing& timing : machine.race_finalists(2)) {
    EXPECT_EQ(timing.disturbance, "");
    EXPECT_THAT(process_medians(timing), SizeIs(3));
  }
  machine.kernels.processes = 0;
  disturbed_from = 3;
  for (const Timing& timing : machine.race_finalists(2)) {
    EXPECT_THAT(process_medians(timing), SizeIs(2));
    EXPECT_EQ(timing.disturbance, "a thread waited 1000 us for a processor") << "two do not show how processes differ";
  }
}

TEST(RatioBetween, PairsSamplesOfTheSamePasses) {
  Timing a, b;
  a.passes = {1, 2, 4, 5};
  a.processes = {1, 1, 2, 2};
  a.raw_ns = {10, 20, 40, 50};
  b.passes = {2, 3, 4};
  b.processes = {1, 1, 2};
  b.raw_ns = {10, 999, 20};
  EXPECT_DOUBLE_EQ(ratio_between(a, b).median, 2);
  EXPECT_DOUBLE_EQ(ratio_between(b, a).median, 0.5);
  b.passes = {7, 8, 9};
  EXPECT_EQ(ratio_between(a, b).median, 0) << "no pass in common";
}

TEST(RatioBetween, CountsEachProcessOnce) {
  Timing a, b;
  a.passes = b.passes = {1, 2, 3, 4, 5, 6, 7};
  a.processes = b.processes = {1, 1, 1, 1, 1, 2, 3};
  b.raw_ns = {1, 1, 1, 1, 1, 1, 1};
  a.raw_ns = {1, 1, 1, 1, 1, 8, 27};
  EXPECT_NEAR(ratio_between(a, b).median, 6, 1e-9) << "the geometric mean of 1, 8 and 27";
}

}  // namespace
}  // namespace nestwright
