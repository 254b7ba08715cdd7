// Pairs of equal balls by nanoflann's k-d tree of their centers, on one thread. See README.md beside this file.
//
// The file starts with a point whose first number is the distance within which centers are a pair.

#include <cmath>
#include <nanoflann.hpp>

#include "boxes.h"

struct Centers {
  const Point *points;
  size_t count;
  size_t kdtree_get_point_count() const { return count; }
  float kdtree_get_pt(size_t index, size_t axis) const { return points[index].at[axis]; }
  template <class Bounds>
  bool kdtree_get_bbox(Bounds &) const {
    return false;
  }
};

// Counts centers instead of listing them.
struct Within {
  typedef float DistanceType;
  float squared;
  Tally *tally;
  uint32_t asking;
  bool addPoint(float, uint32_t index) {
    if (asking < index) tally->add(asking, index);
    return true;
  }
  float worstDist() const { return squared; }
  bool full() const { return true; }
  size_t size() const { return 0; }
};

int main(int count, char **words) {
  const int times = repeats(count, words);
  const std::vector<Point> file = read<Point>(words[1]);
  const Centers centers{file.data() + 1, file.size() - 1};
  // Only what is nearer than this is found: balls that touch are a pair.
  const float squared = std::nextafter(file[0].at[0] * file[0].at[0], INFINITY);
  typedef nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Centers>, Centers, 3, uint32_t> Tree;
  report(times, [&](Tally &tally) {
    const double start = now();
    Tree tree(3, centers, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    const double built = now();
    for (uint32_t k = 0; k < centers.count; k++) {
      Within within{squared, &tally, k};
      tree.findNeighbors(within, centers.points[k].at, nanoflann::SearchParams(0, 0, false));
    }
    return Times{built - start, now() - built};
  });
}
