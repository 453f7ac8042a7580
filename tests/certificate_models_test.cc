// SPDX-License-Identifier: MIT
// Certificates of whole networks: the independent checker accepts the plan and the bound of both
// classes, and notices when an offset, the order, a size or the bound is another one.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/driver/verbs/plan_file.h"
#include "compiler/plan/check/certificate.h"
#include "compiler/plan/check/checker.h"
#include "test_support.h"

namespace netkit::test {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* const kModels[] = {"mlperf_tiny/ad01_fp32.tflite",
                               "mlperf_tiny/ad01_int8.tflite",
                               "mlperf_tiny/kws_ref_model.tflite",
                               "mlperf_tiny/pretrainedResnet.tflite",
                               "mlperf_tiny/pretrainedResnet_quant.tflite",
                               "mlperf_tiny/str_ww_ref_model.tflite",
                               "mlperf_tiny/vww_96_float.tflite",
                               "mlperf_tiny/vww_96_int8.tflite",
                               "tflm/hello_world_float.tflite",
                               "tflm/hello_world_int8.tflite",
                               "tflm/person_detect.tflite"};

OrderedJson certificate_of(const std::string& path) {
  const auto planned = driver::plan_file(path, {});
  EXPECT_TRUE(planned.has_value()) << (planned ? "" : planned.error().message);
  if (!planned) return {};
  return OrderedJson::parse(plan::certificate_json(planned->problem, {}, planned->class_layouts));
}

bool accepted(const OrderedJson& certificate) {
  const auto verdicts = plan::check_certificate(certificate.dump());
  if (!verdicts) return false;
  for (const plan::PlanVerdict& v : *verdicts) {
    if (!v.valid || !v.bound_verified) return false;
  }
  return true;
}

void expect_both_classes(const std::string& path) {
  const auto verdicts = plan::check_certificate(certificate_of(path).dump());
  ASSERT_TRUE(verdicts.has_value()) << path << ": " << verdicts.error().message;
  ASSERT_EQ(verdicts->size(), 2u) << path;
  EXPECT_EQ((*verdicts)[0].plan_class, "plain");
  EXPECT_EQ((*verdicts)[1].plan_class, "overlap");
  for (const plan::PlanVerdict& v : *verdicts) {
    EXPECT_TRUE(v.valid) << path << ' ' << v.plan_class << ": " << v.invalid_reason;
    EXPECT_TRUE(v.bound_verified) << path << ' ' << v.plan_class << ": " << v.how;
    EXPECT_EQ(v.arena_bytes, v.lower_bound_bytes) << path << ' ' << v.plan_class;
  }
}

TEST(CertificateModels, OwnModelsVerifyInBothClasses) {
  for (const char* name : {"digits_cnn_int8.tflite", "digits_dscnn.onnx"}) {
    expect_both_classes(std::string(NETKIT_SOURCE_DIR) + "/models/" + name);
  }
}

TEST(CertificateModels, AnchorModelsVerifyInBothClasses) {
  const auto shared = shared_folder();
  if (!shared) return;
  for (const char* name : kModels) expect_both_classes(*shared + "/models/" + name);
}

TEST(CertificateModels, ChangesAreCaught) {
  const OrderedJson good =
      certificate_of(std::string(NETKIT_SOURCE_DIR) + "/models/digits_cnn_int8.tflite");
  ASSERT_TRUE(accepted(good));
  for (size_t p = 0; p < good["plans"].size(); ++p) {
    const std::string where = "/plans/" + std::to_string(p);
    for (const char* key : {"/arena_bytes", "/lower_bound_bytes", "/buffers/1/bytes"}) {
      OrderedJson bad = good;
      OrderedJson& value = bad[OrderedJson::json_pointer(where + key)];
      value = value.get<int64_t>() + 16;
      EXPECT_FALSE(accepted(bad)) << where << key;
    }
    OrderedJson bad = good;
    std::swap(bad["plans"][p]["order"][0], bad["plans"][p]["order"][1]);
    EXPECT_FALSE(accepted(bad)) << "order";
    for (size_t b = 0; b < good["plans"][p]["buffers"].size(); ++b) {
      bad = good;
      bad["plans"][p]["buffers"][b]["offset"] = good["plans"][p]["arena_bytes"];
      EXPECT_FALSE(accepted(bad)) << "offset of buffer " << b;
    }
  }
}

}  // namespace
}  // namespace netkit::test
