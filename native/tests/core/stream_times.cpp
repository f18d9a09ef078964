// Streams of a device in virtual time. Launches take 10 ns to arrive, kernels start 1 ns apart.
#include "../../core/virtual/stream_times.h"

#include "../expect.h"

using namespace maya;

namespace {

constexpr auto kOwn = StreamKind::independent;

const VirtualSettings& settings() {
  static const VirtualSettings read = read_virtual_settings("1=30,launch=10,gap=1,queue=2");
  return read;
}

void settings_are_read_by_name() {
  CHECK(settings().call_ns(Kind::kernel) == 30);
  CHECK(settings().call_ns(Kind::library) == 0);
  CHECK(read_virtual_settings("check_member=70").check_member_ns == 70);
  CHECK(settings().launch_latency_ns == 10 && settings().gap_ns == 1 && settings().queue_limit == 2);
  CHECK(read_virtual_settings(nullptr).queue_limit == 1024);
  CHECK(read_virtual_settings("gap").gap_ns == 0);
}

void work_waits_for_its_launch_and_for_its_stream() {
  DeviceClock device(settings());
  StreamTimes first, second;
  Span a = device.work(first, kOwn, 100, {50}), b = device.work(first, kOwn, 105, {5});
  Span beside = device.work(second, kOwn, 105, {5});
  CHECK(a.start_ns == 110 && a.end_ns == 160);
  CHECK(b.start_ns == 161 && b.end_ns == 166);
  CHECK(beside.start_ns == 115);
  CHECK(device.device().all_ns == 166);
}

void the_host_waits_for_a_place_in_the_queue() {
  DeviceClock device(settings());
  StreamTimes stream;
  for (int i = 0; i < 2; ++i) {
    CHECK(device.room_ns(stream, 0) == 0);
    device.work(stream, kOwn, 0, {100});
  }
  CHECK(device.room_ns(stream, 0) == 10);  // when the first starts
  device.work(stream, kOwn, 10, {100});
  CHECK(device.room_ns(stream, 10) == 111);  // when the second does
}

void the_legacy_stream_waits_for_blocking_ones_and_they_for_it() {
  DeviceClock device(settings());
  StreamTimes legacy, blocking, own;
  device.work(blocking, StreamKind::blocking, 0, {100});
  CHECK(device.work(legacy, StreamKind::legacy, 0, {10}).start_ns == 110);
  CHECK(device.work(blocking, StreamKind::blocking, 0, {10}).start_ns == 120);
  CHECK(device.work(own, kOwn, 0, {10}).start_ns == 10);
}

void an_event_is_a_moment_of_its_stream() {
  DeviceClock device(settings());
  StreamTimes stream, waiting;
  int64_t idle = device.event(stream, 0);
  device.work(stream, kOwn, 0, {100});
  int64_t behind = device.event(stream, 0);
  CHECK(idle == 10 && behind == 110);
  CHECK(device.event(stream, 0) > behind);  // programs divide by the difference
  device.hold(waiting, behind);
  CHECK(device.work(waiting, kOwn, 0, {5}).start_ns == 110);
}

void a_collective_begins_when_the_last_member_comes() {
  DeviceClock device(settings());
  StreamTimes stream;
  CHECK(device.arrival(stream, kOwn, 0) == 10);
  CHECK(device.meet(stream, kOwn, 0, 70, 5).start_ns == 70);
  CHECK(device.meet(stream, kOwn, 0, 70, 5).start_ns == 76);
}

void a_collective_takes_part_of_the_device_from_kernels_beside_it() {
  static const VirtualSettings sharing = read_virtual_settings("communication=512");
  DeviceClock device(sharing);
  StreamTimes before, after, small, links;
  device.work(before, kOwn, 0, {100, 1.0});
  device.meet(links, kOwn, 0, 50, 100);  // 50 to 150
  device.slow_down(before);
  CHECK(before.free_ns == 150);  // the half of it that ran meanwhile took twice as long
  CHECK(device.work(after, kOwn, 100, {50, 1.0}).end_ns == 175);
  CHECK(device.work(small, kOwn, 100, {50, 0.5}).end_ns == 150);
}

void a_graph_takes_its_longest_path() {
  DeviceClock device(settings());
  StreamTimes stream;
  std::vector<Span> spans = device.graph(stream, kOwn, 0, 0, {{100, {}}, {20, {}}, {0, {0, 1}}, {5, {2}}});
  CHECK(spans[1].start_ns == 10 && spans[1].end_ns == 30);
  CHECK(spans[3].start_ns == 111 && spans[3].end_ns == 116);
  CHECK(stream.free_ns == 116);
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"settings_are_read_by_name", settings_are_read_by_name},
          {"work_waits_for_its_launch_and_for_its_stream", work_waits_for_its_launch_and_for_its_stream},
          {"the_host_waits_for_a_place_in_the_queue", the_host_waits_for_a_place_in_the_queue},
          {"the_legacy_stream_waits_for_blocking_ones_and_they_for_it",
           the_legacy_stream_waits_for_blocking_ones_and_they_for_it},
          {"an_event_is_a_moment_of_its_stream", an_event_is_a_moment_of_its_stream},
          {"a_collective_begins_when_the_last_member_comes", a_collective_begins_when_the_last_member_comes},
          {"a_collective_takes_part_of_the_device_from_kernels_beside_it",
           a_collective_takes_part_of_the_device_from_kernels_beside_it},
          {"a_graph_takes_its_longest_path", a_graph_takes_its_longest_path},
      },
      count, arguments);
}
