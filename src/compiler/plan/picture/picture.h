// SPDX-License-Identifier: MIT
// Pictures of a layout: x is the step, y the byte address from 0.
#pragma once

#include <string>
#include <vector>

#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// For a terminal: about columns × rows characters, a letter per buffer (the largest get the first
// letters), '#' scratch, '/' or '\' where an output takes over from an input, and the buffers
// alive at the fullest step, largest first. Lines end with \n; ASCII but for the names.
std::string text_picture(const Layout& layout, int columns = 64, int rows = 16);

struct PictureView {
  std::string title;  // the model
  const Problem* problem = nullptr;
  const Layout* layout = nullptr;
};

// One SVG document of the whole plan.
std::string svg_picture(const PictureView& view);

// One page without scripts or network, light and dark: per view the picture, the live bytes below
// it, what is alive at the fullest step, and, above 60 steps, a window around that step with the
// whole plan as its map. Several views stand side by side at one scale.
std::string html_page(const std::vector<PictureView>& views);

// The position of the fullest step.
int peak_step(const Layout& layout);

// The buffers of that step, largest first; ties in the order of Layout::buffers.
std::vector<int> peak_buffers(const Layout& layout);

}  // namespace netkit::plan
