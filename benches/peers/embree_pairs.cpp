// Pairs of boxes by Embree's `rtcCollide`, on one thread. See README.md beside this file.

#include <embree3/rtcore.h>

#include "boxes.h"

struct Scene {
  const std::vector<Box> *boxes;
  Tally *tally;
};

static void bounds(const RTCBoundsFunctionArguments *args) {
  const Box &box = (*static_cast<const std::vector<Box> *>(args->geometryUserPtr))[args->primID];
  *args->bounds_o = {box.low[0], box.low[1], box.low[2], 0, box.high[0], box.high[1], box.high[2], 0};
}

// Embree reports pairs of leaves: both orders, each box with itself, and some whose boxes do not meet.
static void collide(void *user, RTCCollision *collisions, unsigned count) {
  const Scene &scene = *static_cast<const Scene *>(user);
  for (unsigned k = 0; k < count; k++) {
    const Box &a = (*scene.boxes)[collisions[k].primID0], &b = (*scene.boxes)[collisions[k].primID1];
    bool meet = collisions[k].primID0 < collisions[k].primID1;
    for (int axis = 0; axis < 3; axis++) meet = meet && a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis];
    if (meet) scene.tally->add(collisions[k].primID0, collisions[k].primID1);
  }
}

int main(int count, char **words) {
  const int times = repeats(count, words);
  const std::vector<Box> boxes = read<Box>(words[1]);
  RTCDevice device = rtcNewDevice("threads=1");
  report(times, [&](Tally &tally) {
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, boxes.size());
    rtcSetGeometryUserData(geometry, const_cast<std::vector<Box> *>(&boxes));
    rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments *) {});
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    const double start = now();
    rtcCommitScene(scene);
    const double built = now();
    Scene user{&boxes, &tally};
    rtcCollide(scene, scene, collide, &user);
    const double end = now();
    rtcReleaseScene(scene);
    return Times{built - start, end - built};
  });
  rtcReleaseDevice(device);
}
