// What the programs in C++ share: a file of boxes, pairs that are counted, and the lines that the driver in `rust` reads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Box {
  float low[3], high[3];
};

struct Point {
  float at[3];
};

// Pairs that were found: their number, and if asked for a sum over them that does not depend on their order.
struct Tally {
  bool sums;
  uint64_t count = 0, sum = 0;

  void add(uint32_t a, uint32_t b) {
    count++;
    if (sums) {
      const uint64_t low = std::min(a, b), high = std::max(a, b);
      uint64_t bits = (low << 32 | high) * 0x9e3779b97f4a7c15;
      bits = (bits ^ bits >> 32) * 0xc2b2ae3d27d4eb4f;
      sum += bits ^ bits >> 29;
    }
  }
};

// Milliseconds of the two steps of a peer.
struct Times {
  double build, pairs;
};

// Milliseconds from which a run is long.
constexpr double LONG = 3000;

inline double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Item>
std::vector<Item> read(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file) {
    std::perror(path);
    std::exit(1);
  }
  std::fseek(file, 0, SEEK_END);
  std::vector<Item> items(std::ftell(file) / sizeof(Item));
  std::rewind(file);
  if (std::fread(items.data(), sizeof(Item), items.size(), file) != items.size()) std::exit(1);
  std::fclose(file);
  return items;
}

// Runs a peer once for the sum of its pairs, which also fills its memory, and then as often as asked for its times. If it takes
// long, the first run is the only one.
template <class Once>
void report(int repeats, Once once) {
  Tally all{true};
  const Times first = once(all);
  std::printf("sum %" PRIu64 " %" PRIu64 "\n", all.count, all.sum);
  if (first.build + first.pairs > LONG) {
    std::printf("time %.6f %.6f\n", first.build, first.pairs);
    return;
  }
  for (int repeat = 0; repeat < repeats; repeat++) {
    Tally tally{false};
    const Times times = once(tally);
    std::printf("time %.6f %.6f\n", times.build, times.pairs);
    if (tally.count != all.count) std::exit(1);
  }
}

// The file, and the number of repeats.
inline int repeats(int count, char **words) {
  if (count < 3) {
    std::fprintf(stderr, "usage: %s FILE REPEATS\n", words[0]);
    std::exit(2);
  }
  return std::atoi(words[2]);
}
