// SPDX-License-Identifier: MIT
#include "ops/composed/composed.h"

namespace netkit {
namespace {

constexpr std::string_view kTraining = "ai.onnx.preview.training";

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Einsum", "", lower_einsum},
    {SourceFormat::kOnnx, "HannWindow", "", lower_window},
    {SourceFormat::kOnnx, "HammingWindow", "", lower_window},
    {SourceFormat::kOnnx, "BlackmanWindow", "", lower_window},
    {SourceFormat::kOnnx, "MelWeightMatrix", "", lower_mel_weights},
    {SourceFormat::kOnnx, "DFT", "", lower_dft},
    {SourceFormat::kOnnx, "STFT", "", lower_stft},
    {SourceFormat::kTflite, "RFFT2D", "", lower_rfft2d},
    {SourceFormat::kTflite, "COMPLEX_ABS", "", lower_complex_part},
    {SourceFormat::kTflite, "REAL", "", lower_complex_part},
    {SourceFormat::kTflite, "IMAG", "", lower_complex_part},
    {SourceFormat::kOnnx, "Compress", "", lower_compress},
    {SourceFormat::kOnnx, "NonZero", "", lower_non_zero},
    {SourceFormat::kOnnx, "ReverseSequence", "", lower_reverse_sequence},
    {SourceFormat::kOnnx, "MaxUnpool", "", lower_max_unpool},
    {SourceFormat::kOnnx, "TfIdfVectorizer", "", lower_tf_idf},
    {SourceFormat::kOnnx, "Det", "", lower_det},
    {SourceFormat::kOnnx, "Momentum", kTraining, lower_optimiser},
    {SourceFormat::kOnnx, "Adagrad", kTraining, lower_optimiser},
    {SourceFormat::kOnnx, "Adam", kTraining, lower_optimiser},
};

}  // namespace

std::span<const ForeignRule> composed_rules() {
  return kRules;
}

}  // namespace netkit
