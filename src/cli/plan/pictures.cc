// SPDX-License-Identifier: MIT
// plan --html FILE, --svg FILE, --compare OTHER: the plan as a picture, alone or beside another.
#include <CLI/CLI.hpp>

#include "cli/plan/plan_group.h"
#include "compiler/plan/picture/picture.h"

namespace netkit::cli {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

class PicturesGroup : public PlanGroup {
 public:
  void add(CLI::App& verb) override {
    verb.add_option("--html", html_, "write one page without scripts that shows the plan");
    verb.add_option("--svg", svg_, "write the picture as one SVG file");
    verb.add_option("--compare", other_,
                    "beside the plan on the page: another model, graph or stored plan, or 'given' "
                    "for the file's order without overlap");
  }

  Files files() const override { return {{html_, svg_}, {other_ == "given" ? "" : other_}}; }

  Result<void> prepare(PlanRequest&) override {
    if (other_.empty() || !html_.empty()) return {};
    return fail(ErrorCode::kUsage, "a comparison is a page", "--compare", "add --html FILE");
  }

  Result<void> act(const PlanRequest& request, const driver::Planned& planned,
                   PlanAnswer& answer) override {
    const std::string name = file_name(request.model.model);
    if (!(svg_.empty() && html_.empty())) NK_TRY(drawable(planned, request.model.model));
    const plan::PictureView view{name, &planned.drawn_problem(), &planned.drawn_layout()};
    if (!svg_.empty()) answer.files.push_back({svg_, plan::svg_picture(view)});
    if (html_.empty()) return {};
    if (other_.empty()) {
      answer.files.push_back({html_, plan::html_page({view})});
      return {};
    }
    driver::CompileOptions options = request.compile;
    options.plan.ram_bytes.reset();
    if (other_ != "given") options.given.clear();  // they were said of the first
    const bool given = other_ == "given";
    if (given && planned.list) {
      return fail(ErrorCode::kUsage, "the lives of a buffer list are given", "--compare given",
                  "name another list, plan, graph or model to compare with");
    }
    if (given) {
      options.plan.order = plan::OrderChoice::kGiven;
      options.plan.class_limit = plan::PlanClass::kPlain;
    }
    NK_ASSIGN(const driver::Planned other,
              driver::plan_file(given ? request.model.model : other_, options));
    NK_TRY(drawable(other, other_));
    const std::string other_name =
        given ? name + ", the file's order, no overlap" : file_name(other_);
    answer.files.push_back(
        {html_,
         plan::html_page({view, {other_name, &other.drawn_problem(), &other.drawn_layout()}})});
    return {};
  }

 private:
  static Result<void> drawable(const driver::Planned& planned, const std::string& path) {
    if (!planned.drawn_layout().steps.empty() || planned.layout.buffers.empty()) return {};
    return fail(ErrorCode::kUsage, "the buffer list is too long for a picture", path,
                "leave the picture out, or give a part of the list");
  }

  std::string html_, svg_, other_;
};

}  // namespace

PlanGroupPtr pictures_group() {
  return std::make_unique<PicturesGroup>();
}

}  // namespace netkit::cli
