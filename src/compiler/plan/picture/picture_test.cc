// SPDX-License-Identifier: MIT
#include "compiler/plan/picture/picture.h"

#include <gtest/gtest.h>

#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"

namespace netkit::plan {
namespace {

struct Planned {
  Problem problem;
  Layout layout;
};

Planned chain(int steps) {
  Planned p;
  for (int t = 0; t <= steps; ++t) {
    p.problem.tensors.push_back({"t<" + std::to_string(t) + ">", 1024 * (1 + t % 5)});
  }
  for (int s = 0; s < steps; ++s) {
    Step step;
    step.name = "op" + std::to_string(s);
    step.inputs = {s};
    step.outputs = {s + 1};
    step.scratch_bytes = s % 3 == 0 ? 512 : 0;
    if (s % 4 == 1) step.overlaps = {{0, 0, 256, std::nullopt, 64, 1}};
    p.problem.steps.push_back(step);
  }
  p.problem.inputs = {0};
  p.problem.outputs = {steps};
  const auto layout = plan(p.problem);
  EXPECT_TRUE(layout.has_value());
  p.layout = *layout;
  return p;
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(TextPicture, IsAsWideAsAskedAndListsThePeak) {
  for (const int steps : {1, 6, 64, 65, 200}) {
    const Planned p = chain(steps);
    const std::string text = text_picture(p.layout);
    size_t begin = 0, lines = 0;
    for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      if (lines < 16) {
        EXPECT_EQ(text.substr(begin + 12, 1), "|") << text;
        EXPECT_LE(end - begin, 13u + 64u);
      }
      begin = end + 1;
      ++lines;
    }
    EXPECT_GE(lines, 20u);
    EXPECT_NE(text.find("fullest at step"), std::string::npos);
    const std::vector<int> live = peak_buffers(p.layout);
    EXPECT_NE(text.find(p.layout.buffers[live[0]].name), std::string::npos);
  }
}

TEST(Page, IsSelfContainedAndEscaped) {
  const Planned p = chain(13);
  const std::string page = html_page({{"a & b", &p.problem, &p.layout}});
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(count(page, "http"), count(page, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(page.find("t<1>"), std::string::npos);
  EXPECT_NE(page.find("t&lt;1&gt;"), std::string::npos);
  EXPECT_NE(page.find("a &amp; b"), std::string::npos);
  EXPECT_EQ(count(page, "<svg"), 1u);
  EXPECT_EQ(count(page, "<svg"), count(page, "</svg>"));
  EXPECT_EQ(count(page, "<g"), count(page, "</g>"));
}

TEST(Page, LongPlansGetAWindowAndAMap) {
  const Planned p = chain(300);
  const std::string page = html_page({{"long", &p.problem, &p.layout}});
  EXPECT_EQ(count(page, "<svg"), 2u);
  EXPECT_EQ(count(page, "class=\"marked\""), 1u);
  EXPECT_EQ(count(html_page({{"a", &p.problem, &p.layout}, {"b", &p.problem, &p.layout}}),
                  "<section"),
            2u);
}

TEST(Svg, IsOneDocumentWithABoxPerBuffer) {
  const Planned p = chain(13);
  const std::string svg = svg_picture({"x", &p.problem, &p.layout});
  EXPECT_EQ(svg.rfind("<svg xmlns", 0), 0u);
  size_t drawn = 0;
  for (const LayoutBuffer& b : p.layout.buffers) drawn += b.alias_of < 0 && b.bytes > 0;
  EXPECT_EQ(count(svg, "class=\"b "), drawn);
}

}  // namespace
}  // namespace netkit::plan
