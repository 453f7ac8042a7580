// SPDX-License-Identifier: MIT
#include "compiler/plan/picture/picture.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/plan/picture/svg.h"
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
    const std::string fullest =
        "fullest at step " + std::to_string(peak_step(p.layout) + 1) + " of ";
    EXPECT_NE(text.find(fullest), std::string::npos) << text;
    const std::vector<int> live = peak_buffers(p.layout);
    EXPECT_NE(text.find(p.layout.buffers[live[0]].name), std::string::npos);
  }
}

TEST(TextPicture, OneLetterNamesKeepTheirLetter) {
  Planned p = chain(2);
  p.layout.buffers[1].name = "Q";
  const std::string text = text_picture(p.layout);
  EXPECT_NE(text.find("QQQ"), std::string::npos) << text;
}

TEST(Picture, CountsStepsFromOne) {
  const Planned p = chain(5);
  const std::string page = html_page({{"chain", &p.problem, &p.layout}});
  for (const char* part : {"<title>step 1 (", "<title>step 5 (", ", steps 1 to ", ">5</text>"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  for (const char* part : {"step 0", "steps 0", "step 6 ("}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

// No file, script or address outside of the page; only the name of the SVG vocabulary.
void expect_self_contained(const std::string& text) {
  for (const char* part :
       {"<script", "javascript:", "@import", "<link", "<img", "onload=", "src="}) {
    EXPECT_EQ(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(count(text, "http"), count(text, "xmlns=\"http://www.w3.org/2000/svg\""));
  for (const char* element : {"svg", "g", "text", "section", "table", "style", "title"}) {
    const std::string name(element);
    EXPECT_EQ(count(text, "<" + name + " ") + count(text, "<" + name + ">"),
              count(text, "</" + name + ">"))
        << name;
  }
}

TEST(Page, IsSelfContainedAndEscaped) {
  const Planned p = chain(13);
  const std::string page = html_page({{"a & b", &p.problem, &p.layout}});
  expect_self_contained(page);
  EXPECT_EQ(page.find("t<1>"), std::string::npos);
  EXPECT_NE(page.find("t&lt;1&gt;"), std::string::npos);
  EXPECT_NE(page.find("a &amp; b"), std::string::npos);
  EXPECT_EQ(count(page, "<svg"), 1u);
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  // Every buffer of the peak stands in the list with its share.
  for (const int b : peak_buffers(p.layout)) {
    EXPECT_NE(page.find("<td class=\"name\" title=\"" + escape_xml(p.layout.buffers[b].name)),
              std::string::npos);
  }
}

TEST(Page, LongPlansGetAWindowAndAMap) {
  const Planned p = chain(300);
  const std::string page = html_page({{"long", &p.problem, &p.layout}});
  expect_self_contained(page);
  EXPECT_EQ(count(page, "<svg"), 2u);
  EXPECT_EQ(count(page, "class=\"marked\""), 1u);
  EXPECT_LT(page.size(), 120'000u);  // what is too small to see is merged
}

TEST(Page, TwoPlansStandSideBySideAtOneScale) {
  const Planned a = chain(13), b = chain(2);
  const std::string page =
      html_page({{"first", &a.problem, &a.layout}, {"second", &b.problem, &b.layout}});
  expect_self_contained(page);
  EXPECT_EQ(count(page, "<section"), 2u);
  EXPECT_NE(page.find("drawn at one scale"), std::string::npos);
  EXPECT_EQ(count(page, "id=\"v0h\""), 1u);
  EXPECT_EQ(count(page, "id=\"v1h\""), 1u);
}

TEST(Svg, IsOneDocumentWithABoxPerBuffer) {
  const Planned p = chain(13);
  const std::string svg = svg_picture({"x", &p.problem, &p.layout});
  expect_self_contained(svg);
  EXPECT_EQ(svg.rfind("<svg xmlns", 0), 0u);
  size_t drawn = 0;
  for (const LayoutBuffer& b : p.layout.buffers) drawn += b.bytes > 0;
  EXPECT_EQ(count(svg, "class=\"b "), drawn);
  EXPECT_EQ(count(svg, "class=\"peak\""), 1u);
  EXPECT_EQ(count(svg, "<line"), 2 + count(svg, "class=\"grid\"") + 1);  // arena, bound, hatch
}

// x and y of the corners of the first polygon whose group has this title.
std::vector<std::pair<double, double>> corners(const std::string& svg, const std::string& title) {
  const size_t group = svg.find("<title>" + title + ":");
  const size_t begin = svg.find("<polygon points=\"", group);
  std::vector<std::pair<double, double>> out;
  if (group == std::string::npos || begin == std::string::npos) return out;
  const char* at = svg.c_str() + begin + 17;
  for (int i = 0; i < 4; ++i) {
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    const double y = std::strtod(end + 1, &end);
    out.emplace_back(x, y);
    at = end + 1;
  }
  return out;
}

TEST(Svg, TheEdgeOfAnOverlapIsSlantedTheWayTheKernelRuns) {
  Planned p;
  p.problem.tensors = {{"in", 4096}, {"out", 4096}};
  Step step;
  step.name = "op";
  step.inputs = {0};
  step.outputs = {1};
  step.overlaps = {{0, 0, 1024, std::nullopt, 0, 1}};
  p.problem.steps = {step};
  p.problem.inputs = {0};
  p.problem.outputs = {1};
  const auto layout = plan(p.problem);
  ASSERT_TRUE(layout.has_value());
  ASSERT_EQ(layout->arena_bytes, 5120);
  const std::string svg = svg_picture({"x", &p.problem, &*layout});
  const auto in = corners(svg, "in"), out = corners(svg, "out");
  ASSERT_EQ(in.size(), 4u);
  ASSERT_EQ(out.size(), 4u);
  // Corners: left low, left high, right high, right low. The input goes from its low addresses.
  EXPECT_LT(in[3].first, in[2].first);
  EXPECT_EQ(in[0].first, in[1].first);
  EXPECT_LT(out[0].first, out[1].first);
  EXPECT_GT(out[0].second, in[0].second);  // lower addresses stand lower in the picture
}

TEST(Texts, NumbersAndNames) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(139264), "139,264");
  EXPECT_EQ(grouped(1234567890), "1,234,567,890");
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefgh", 6), "..efgh");
  EXPECT_EQ(shortened("ab\xc3\xa9\xc3\xa9", 5), "..\xc3\xa9");
}

}  // namespace
}  // namespace netkit::plan
