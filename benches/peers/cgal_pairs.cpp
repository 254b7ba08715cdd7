// Pairs of boxes by CGAL's `box_self_intersection_d`, on one thread. See README.md beside this file.

#include <CGAL/box_intersection_d.h>

#include "boxes.h"

// A box as CGAL copies and sorts it.
struct Numbered {
  Box box;
  uint32_t index;
};

struct Traits {
  typedef const Numbered &Box_parameter;
  typedef float NT;
  typedef uint32_t ID;
  static NT min_coord(Box_parameter box, int axis) { return box.box.low[axis]; }
  static NT max_coord(Box_parameter box, int axis) { return box.box.high[axis]; }
  static ID id(Box_parameter box) { return box.index; }
  static int dimension() { return 3; }
};

int main(int count, char **words) {
  const int times = repeats(count, words);
  // Below so many boxes CGAL sweeps instead of dividing them. With its default, 10, it took two to three times as long.
  const std::ptrdiff_t cutoff = count > 3 ? std::atoi(words[3]) : 2000;
  const std::vector<Box> boxes = read<Box>(words[1]);
  report(times, [&](Tally &tally) {
    const double start = now();
    std::vector<Numbered> numbered(boxes.size());
    for (uint32_t k = 0; k < boxes.size(); k++) numbered[k] = {boxes[k], k};
    const double built = now();
    const auto add = [&](const Numbered &a, const Numbered &b) { tally.add(a.index, b.index); };
    CGAL::box_self_intersection_d<CGAL::Sequential_tag>(numbered.begin(), numbered.end(), add, Traits(), cutoff,
                                                       CGAL::Box_intersection_d::CLOSED);
    return Times{built - start, now() - built};
  });
}
