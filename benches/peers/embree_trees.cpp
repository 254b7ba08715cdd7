// Embree over the boxes that `cargo bench --bench trees -- --write DIR` writes: build, pairs, and rays one at a time, on one thread.
//
//     embree_trees DIR [REPEATS]
//
// Boxes are user geometry, as Embree has none of its own: a function says where a ray enters one. Its results are written to
// DIR/embree.bin, a float for each ray: where it first enters a box, or infinity.

#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

struct Box {
  float low[3], high[3];
};

struct Ray {
  float origin[3], direction[3];
};

static std::vector<Box> boxes;
static size_t pairs;

template <class T>
static std::vector<T> read(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    std::perror(path.c_str());
    std::exit(1);
  }
  std::fseek(file, 0, SEEK_END);
  std::vector<T> items(std::ftell(file) / sizeof(T));
  std::rewind(file);
  if (std::fread(items.data(), sizeof(T), items.size(), file) != items.size()) std::exit(1);
  std::fclose(file);
  return items;
}

static double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void bounds(const RTCBoundsFunctionArguments *args) {
  const Box &box = boxes[args->primID];
  *args->bounds_o = {box.low[0], box.low[1], box.low[2], 0, box.high[0], box.high[1], box.high[2], 0};
}

static void intersect(const RTCIntersectFunctionNArguments *args) {
  if (!args->valid[0]) return;
  RTCRayHit *query = reinterpret_cast<RTCRayHit *>(args->rayhit);
  RTCRay &ray = query->ray;
  const Box &box = boxes[args->primID];
  const float inverse[3] = {1 / ray.dir_x, 1 / ray.dir_y, 1 / ray.dir_z};
  const float origin[3] = {ray.org_x, ray.org_y, ray.org_z};
  float near = 0, far = ray.tfar;
  for (int axis = 0; axis < 3; axis++) {
    const float a = (box.low[axis] - origin[axis]) * inverse[axis];
    const float b = (box.high[axis] - origin[axis]) * inverse[axis];
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b));
  }
  if (near <= far) {
    ray.tfar = near;
    query->hit.geomID = args->geomID;
    query->hit.primID = args->primID;
  }
}

static void collide(void *, RTCCollision *collisions, unsigned count) {
  for (unsigned k = 0; k < count; k++) {
    const Box &a = boxes[collisions[k].primID0], &b = boxes[collisions[k].primID1];
    bool meet = collisions[k].primID0 < collisions[k].primID1;
    for (int axis = 0; axis < 3; axis++) meet = meet && a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis];
    pairs += meet;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: embree_trees DIR [REPEATS]\n");
    return 1;
  }
  const std::string folder = argv[1];
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  boxes = read<Box>(folder + "/boxes.bin");
  const std::vector<Ray> rays = read<Ray>(folder + "/rays.bin");
  std::vector<float> results(rays.size());
  RTCDevice device = rtcNewDevice("threads=1");
  double build = INFINITY, collision = INFINITY, casting = INFINITY;
  size_t hits = 0;
  for (int repeat = 0; repeat < repeats; repeat++) {
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, boxes.size());
    rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    double start = now();
    rtcCommitScene(scene);
    build = std::min(build, now() - start);
    pairs = 0;
    start = now();
    rtcCollide(scene, scene, collide, nullptr);
    collision = std::min(collision, now() - start);
    hits = 0;
    start = now();
    for (size_t k = 0; k < rays.size(); k++) {
      RTCIntersectContext context;
      rtcInitIntersectContext(&context);
      RTCRayHit query{};
      query.ray.org_x = rays[k].origin[0], query.ray.org_y = rays[k].origin[1], query.ray.org_z = rays[k].origin[2];
      query.ray.dir_x = rays[k].direction[0], query.ray.dir_y = rays[k].direction[1], query.ray.dir_z = rays[k].direction[2];
      query.ray.tfar = INFINITY;
      query.ray.mask = ~0u;
      query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      rtcIntersect1(scene, &context, &query);
      const bool hit = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
      hits += hit;
      results[k] = hit ? query.ray.tfar : INFINITY;
    }
    casting = std::min(casting, now() - start);
    rtcReleaseScene(scene);
  }
  std::printf("Embree  build %.1f ms, pairs %.1f ms (%zu), rays %.1f ns each (%zu hits)\n", build, collision, pairs,
              casting * 1e6 / rays.size(), hits);
  rtcReleaseDevice(device);
  std::FILE *file = std::fopen((folder + "/embree.bin").c_str(), "wb");
  if (!file || std::fwrite(results.data(), sizeof(float), results.size(), file) != results.size()) return 1;
  std::fclose(file);
}
