// SPDX-License-Identifier: MIT
// netkit-memory/1 as text, and the answer as JSON.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/regions/regions.h"

namespace netkit::plan {
namespace {

constexpr int kBits = 50;  // sums of many numbers stay exact
constexpr size_t kMaxRegions = 1000;
constexpr size_t kMaxText = size_t{16} << 20;

// The list under `key`, absent: empty. Every item is an object.
Result<Json> objects(const Json& object, const char* key, const std::string& where) {
  const auto it = object.find(key);
  if (it == object.end()) return Json::array();
  bool good = it->is_array() && it->size() <= kMaxRegions;
  for (size_t i = 0; good && i < it->size(); ++i) good = (*it)[i].is_object();
  if (!good) return bad_input(std::string("'") + key + "' is no list of objects", where);
  return *it;
}

std::string at(const char* list, size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "]";
}

Result<Region> read_region(const Json& item, const std::string& where) {
  Region region;
  NK_ASSIGN(region.name, text_field(item, "name", where));
  NK_ASSIGN(region.bytes, whole_field(item, "bytes", where, kBits));
  NK_ASSIGN(const Json parts, objects(item, "reserved", where));
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string part = where + "." + at("reserved", i);
    Reservation r;
    NK_ASSIGN(r.what, text_field(parts[i], "what", part));
    NK_ASSIGN(r.bytes, whole_field(parts[i], "bytes", part, kBits));
    if (parts[i].contains("count")) {
      NK_ASSIGN(const int64_t count, whole_field(parts[i], "count", part, kBits));
      if (count > 1'000'000 || r.bytes * static_cast<double>(count) > std::ldexp(1.0, kBits)) {
        return bad_input("is too large", part);
      }
      r.bytes *= count;
    }
    region.reserved.push_back(std::move(r));
  }
  int64_t left = region.bytes;
  for (const Reservation& r : region.reserved) left -= std::min(r.bytes, left + 1);
  if (left < 0) {
    return bad_input("the reserved parts take more than the region has", where,
                     "correct the sizes of the region or of its parts");
  }
  return region;
}

Result<int> region_named(const MemoryMap& map, const Json& name, const std::string& where) {
  for (size_t r = 0; r < map.regions.size(); ++r) {
    if (name.is_string() && name.get<std::string>() == map.regions[r].name) {
      return static_cast<int>(r);
    }
  }
  return bad_input("names no region of the map", where);
}

Result<RegionRule> read_rule(const MemoryMap& map, const Json& item, const std::string& where) {
  RegionRule rule;
  NK_ASSIGN(rule.buffers, text_field(item, "buffers", where));
  if (item.contains("regions")) {
    const Json& names = item["regions"];
    if (!names.is_array() || names.empty()) return bad_input("needs region names", where);
    for (const Json& name : names) {
      NK_ASSIGN(const int region, region_named(map, name, where));
      rule.regions.push_back(region);
    }
  }
  if (item.contains("transfer_bytes")) {
    NK_ASSIGN(rule.transfer_bytes, whole_field(item, "transfer_bytes", where, kBits));
    if (*rule.transfer_bytes < 1 || *rule.transfer_bytes > (1 << 20)) {
      return bad_input("is not between 1 and 2^20", where + ".transfer_bytes");
    }
  }
  return rule;
}

}  // namespace

Result<MemoryMap> parse_memory_map(std::string_view source) {
  if (source.size() > kMaxText) return bad_input("the memory map has more than 16 MiB of text");
  NK_ASSIGN(const Json root, parse_json(source));
  if (!root.is_object()) return bad_input("not a JSON object");
  if (root.value("format", Json()) != "netkit-memory/1") {
    return bad_input("is no netkit-memory/1", "format");
  }
  MemoryMap map;
  NK_ASSIGN(const Json regions, objects(root, "regions", "memory map"));
  if (regions.empty()) return bad_input("has no regions", "memory map");
  for (size_t i = 0; i < regions.size(); ++i) {
    NK_ASSIGN(Region region, read_region(regions[i], at("regions", i)));
    if (std::ranges::find(map.regions, region.name, &Region::name) != map.regions.end()) {
      return bad_input("two regions are called '" + region.name + "'", at("regions", i) + ".name",
                       "give each region a name of its own");
    }
    map.regions.push_back(std::move(region));
  }
  NK_ASSIGN(const Json rules, objects(root, "rules", "memory map"));
  for (size_t i = 0; i < rules.size(); ++i) {
    NK_ASSIGN(RegionRule rule, read_rule(map, rules[i], at("rules", i)));
    map.rules.push_back(std::move(rule));
  }
  if (root.contains("flash_bytes")) {
    NK_ASSIGN(map.flash_bytes, whole_field(root, "flash_bytes", "memory map", kBits));
  }
  return map;
}

std::string region_plan_json(const Layout& layout, const RegionPlan& plan) {
  const bool flash_fits = !plan.flash || plan.flash->short_bytes() == 0;
  Json root = {{"fits", plan.verdict == Verdict::kFits && flash_fits}, {"regions", Json::array()}};
  for (const RegionUse& r : plan.regions) {
    root["regions"].push_back({{"name", r.name},
                               {"bytes", r.bytes},
                               {"reserved_bytes", r.reserved_bytes},
                               {"plan_bytes", r.plan_bytes},
                               {"used_bytes", r.used_bytes()},
                               {"free_bytes", r.free_bytes()},
                               {"short_bytes", r.short_bytes()}});
  }
  if (plan.flash) {
    const bool known = plan.flash->used_bytes >= 0;
    root["flash"] = {{"bytes", plan.flash->bytes},
                     {"used_bytes", known ? Json(plan.flash->used_bytes) : Json()},
                     {"short_bytes", known ? Json(plan.flash->short_bytes()) : Json()}};
  }
  root["buffers"] = Json::array();
  for (size_t b = 0; b < plan.places.size(); ++b) {
    const BufferPlace& place = plan.places[b];
    root["buffers"].push_back({{"name", layout.buffers[b].name},
                               {"region", plan.regions[place.region].name},
                               {"offset", place.offset}});
  }
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace netkit::plan
