// Pairs of boxes by the tree of box3d's broad phase, on one thread. See README.md beside this file.
//
// The boxes are in the tree before the clock starts: putting them there one by one takes longer than all else. The build is the
// rebuilding of the whole tree, which box3d does in part in each step; then each box asks the tree, as in box3d.

#include <box3d/collision.h>

#include "boxes.h"

struct Asking {
  Tally *tally;
  uint64_t index;
};

static bool found(int, uint64_t other, void *user) {
  const Asking &asking = *static_cast<const Asking *>(user);
  if (asking.index < other) asking.tally->add(asking.index, other);
  return true;
}

int main(int count, char **words) {
  const int times = repeats(count, words);
  const std::vector<Box> boxes = read<Box>(words[1]);
  const auto bounds = [](const Box &box) {
    return b3AABB{{box.low[0], box.low[1], box.low[2]}, {box.high[0], box.high[1], box.high[2]}};
  };
  b3DynamicTree tree = b3DynamicTree_Create(boxes.size());
  for (size_t k = 0; k < boxes.size(); k++) b3DynamicTree_CreateProxy(&tree, bounds(boxes[k]), B3_DEFAULT_CATEGORY_BITS, k);
  report(times, [&](Tally &tally) {
    const double start = now();
    b3DynamicTree_Rebuild(&tree, true);
    const double built = now();
    for (size_t k = 0; k < boxes.size(); k++) {
      Asking asking{&tally, k};
      b3DynamicTree_Query(&tree, bounds(boxes[k]), B3_DEFAULT_MASK_BITS, false, found, &asking);
    }
    return Times{built - start, now() - built};
  });
  b3DynamicTree_Destroy(&tree);
}
