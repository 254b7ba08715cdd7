// Pairs of boxes by the broad phase of Jolt Physics, its quad tree, on one thread. See README.md beside this file.
//
// The bodies and their bounds are there before the clock starts; adding them to the tree is its build.

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Body/BodyManager.h>
#include <Jolt/Physics/Body/BodyPair.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseQuadTree.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/RegisterTypes.h>

#include <memory>

#include "boxes.h"

struct OneLayer final : JPH::BroadPhaseLayerInterface {
  JPH::uint GetNumBroadPhaseLayers() const override { return 1; }
  JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer) const override { return JPH::BroadPhaseLayer(0); }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
  const char *GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override { return "all"; }
#endif
};

struct Collector final : JPH::BodyPairCollector {
  Tally *tally;
  void AddHit(const JPH::BodyPair &pair) override { tally->add(pair.mBodyA.GetIndex(), pair.mBodyB.GetIndex()); }
};

int main(int count, char **words) {
  const int times = repeats(count, words);
  const std::vector<Box> boxes = read<Box>(words[1]);
  JPH::RegisterDefaultAllocator();
  JPH::Factory::sInstance = new JPH::Factory();
  JPH::RegisterTypes();
  const OneLayer layers;
  auto bodies = std::make_unique<JPH::BodyManager>();
  bodies->Init(boxes.size(), 0, layers);
  const JPH::RefConst<JPH::Shape> shape = new JPH::SphereShape(1);
  std::vector<JPH::BodyID> ids(boxes.size());
  for (size_t k = 0; k < boxes.size(); k++) {
    JPH::BodyCreationSettings settings(shape, JPH::RVec3::sZero(), JPH::Quat::sIdentity(), JPH::EMotionType::Dynamic, 0);
    JPH::Body *body = bodies->AllocateBody(settings);
    bodies->AddBody(body);
    ids[k] = body->GetID();
    if (ids[k].GetIndex() != k) return 1;
    const auto vector = [](const float (&at)[3]) { return JPH::Vec3(at[0], at[1], at[2]); };
    // A body computes its bounds from its shape and pose, which would round them.
    const_cast<JPH::AABox &>(body->GetWorldSpaceBounds()) = JPH::AABox(vector(boxes[k].low), vector(boxes[k].high));
  }
  bodies->ActivateBodies(ids.data(), ids.size());
  report(times, [&](Tally &tally) {
    auto tree = std::make_unique<JPH::BroadPhaseQuadTree>();
    tree->Init(bodies.get(), layers);
    std::vector<JPH::BodyID> added = ids, active = ids;
    const double start = now();
    const JPH::BroadPhase::AddState state = tree->AddBodiesPrepare(added.data(), added.size());
    tree->AddBodiesFinalize(added.data(), added.size(), state);
    const double built = now();
    Collector collector;
    collector.tally = &tally;
    tree->FindCollidingPairs(active.data(), active.size(), 0, JPH::ObjectVsBroadPhaseLayerFilter(),
                             JPH::ObjectLayerPairFilter(), collector);
    return Times{built - start, now() - built};
  });
  // The process ends with its bodies: taking them out of the tree takes longer than all else.
  std::fflush(stdout);
  std::_Exit(0);
}
