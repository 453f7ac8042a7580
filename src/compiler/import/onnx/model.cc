// SPDX-License-Identifier: MIT
// An ONNX file → ForeignGraph: parsing, format and operator set versions.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <limits>

#include "compiler/import/onnx/onnx.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

constexpr int64_t kNewestIrVersion = 13;
constexpr int64_t kNewestOpset = 22;       // of ai.onnx, whose meaning netkit knows
constexpr int64_t kNewestTriedOpset = 99;  // beyond it a number is not an operator set
constexpr int64_t kFirstIrWithOpsets = 3;

Result<void> parse(std::span<const std::byte> bytes, pb::Model& model) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return bad_input("the file is above the size limit of protobuf, 2 GiB");
  }
  NK_TRY(check_wire(bytes));
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxNesting + 1);
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return bad_input("not an ONNX model, or corrupt: protobuf cannot parse it", {},
                     "copy or export the file again");
  }
  if (!model.has_graph()) return bad_input("not an ONNX model: it has no graph");
  return {};
}

Result<void> read_opsets(const pb::Model& model, FileContext& file, ForeignGraph& out) {
  for (const pb::OperatorSetId& opset : model.opset_import()) {
    const std::string domain = opset.domain() == "ai.onnx" ? std::string() : opset.domain();
    const std::string_view text = domain.empty() ? "ai.onnx" : std::string_view(domain);
    if (opset.version() < 1 || opset.version() > kNewestTriedOpset) {
      return bad_input(fmt::format("opset {} of domain {}: no such operator set",
                                   opset.version(), shown(text)));
    }
    if (const auto [it, is_new] = file.opsets.emplace(domain, opset.version());
        !is_new && it->second != opset.version()) {
      return bad_input(fmt::format("domain {} has two opsets, {} and {}", shown(text), it->second,
                                   opset.version()));
    }
    if (domain.empty() && opset.version() > kNewestOpset) {
      out.warnings.push_back(fmt::format("opset {} is newer than {}, the newest known: operators "
                                         "are read as in {}", opset.version(), kNewestOpset,
                                         kNewestOpset));
    }
  }
  // The format's first versions had no opset_import: the operators are those of opset 1.
  if (model.ir_version() < kFirstIrWithOpsets) file.opsets.emplace("", 1);
  return {};
}

}  // namespace
}  // namespace netkit::onnx

namespace netkit {

Result<ForeignGraph> import_onnx(std::span<const std::byte> bytes, const std::string& folder,
                                 const ImportOptions& options) {
  pb::Model model;
  NK_TRY(onnx::parse(bytes, model));
  ForeignGraph header;
  if (model.ir_version() > onnx::kNewestIrVersion) {
    header.warnings.push_back(fmt::format("IR version {} is newer than {}, the newest known",
                                          model.ir_version(), onnx::kNewestIrVersion));
  }
  onnx::FileContext file{Budget(bytes.size()), onnx::ExternalFiles(folder, options), {}, {}};
  NK_TRY(onnx::inline_functions(model, file.budget));
  NK_TRY(onnx::read_opsets(model, file, header));
  NK_ASSIGN(ForeignGraph root, onnx::read_graph(*model.mutable_graph(), file, nullptr));
  root.subgraphs = std::move(file.subgraphs);
  root.warnings = std::move(header.warnings);
  root.ir_version = model.ir_version();
  root.producer = model.producer_name();
  if (!model.producer_version().empty()) root.producer += " " + model.producer_version();
  return root;
}

}  // namespace netkit
