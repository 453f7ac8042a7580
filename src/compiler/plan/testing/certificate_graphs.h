// SPDX-License-Identifier: MIT
// Small graphs whose certificates are tried, as netkit-graph/1.
#pragma once

namespace netkit::plan::testing {

// A branch, scratch, an overlap with a distance and one in place; alignment with slack.
inline constexpr char kOverlapGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":300},{"name":"a","bytes":500},{"name":"b","bytes":500},
            {"name":"c","bytes":120},{"name":"d","bytes":130},{"name":"y","bytes":64}],
 "ops":[{"name":"A","inputs":["x"],"outputs":["a"],"scratch_bytes":40,
         "overlap":[{"input":0,"output":0,"backward_bytes":32,"scratch_bytes":48}]},
        {"name":"B","inputs":["a"],"outputs":["b"],
         "overlap":[{"input":0,"output":0,"forward_bytes":0}]},
        {"name":"C","inputs":["b"],"outputs":["c"],"scratch_bytes":20},
        {"name":"D","inputs":["b"],"outputs":["d"]},
        {"name":"Y","inputs":["c","d"],"outputs":["y"]}],
 "inputs":["x"],"outputs":["y"]})";

// Beside Q, of y, P1, P2, P3 one is always alive, but none in every order: only a cut shows it.
inline constexpr char kCutGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":900},{"name":"y","bytes":96},{"name":"p1","bytes":64},
            {"name":"p2","bytes":80},{"name":"p3","bytes":112},{"name":"q","bytes":900},
            {"name":"q2","bytes":16},{"name":"z","bytes":16}],
 "ops":[{"name":"P1","inputs":["y"],"outputs":["p1"]},
        {"name":"P2","inputs":["p1"],"outputs":["p2"]},
        {"name":"P3","inputs":["p2"],"outputs":["p3"]},{"name":"Q","inputs":["x"],"outputs":["q"]},
        {"name":"Q2","inputs":["q"],"outputs":["q2"]},
        {"name":"Z","inputs":["p3","q2"],"outputs":["z"]}],
 "inputs":["x","y"],"outputs":["z"]})";

// Halves of `a` as views of it, then put together again within `c`.
inline constexpr char kViewGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":64},{"name":"a","bytes":128},{"name":"l","bytes":64},
            {"name":"r","bytes":64},{"name":"m","bytes":64},{"name":"c","bytes":128},
            {"name":"y","bytes":32}],
 "ops":[{"name":"A","inputs":["x"],"outputs":["a"]},
        {"name":"S","inputs":["a"],"outputs":["l","r"],
         "views":[{"input":0,"output":0,"offset_bytes":0},
                  {"input":0,"output":1,"offset_bytes":64}]},
        {"name":"M","inputs":["l"],"outputs":["m"]},
        {"name":"C","inputs":["m","r"],"outputs":["c"],
         "views":[{"input":0,"output":0,"offset_bytes":0},
                  {"input":1,"output":0,"offset_bytes":64}]},
        {"name":"Y","inputs":["c"],"outputs":["y"]}],
 "inputs":["x"],"outputs":["y"]})";

// The second output could be made in the place of the first.
inline constexpr char kTwoOutputsGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":64},{"name":"a","bytes":64},{"name":"b","bytes":64}],
 "ops":[{"name":"A","inputs":["x"],"outputs":["a"]},
        {"name":"B","inputs":["a"],"outputs":["b"],
         "overlap":[{"input":0,"output":0,"forward_bytes":0}]}],
 "inputs":["x"],"outputs":["a","b"]})";

// Nothing reads the second input.
inline constexpr char kUnreadInputGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":16},{"name":"u","bytes":16},{"name":"y","bytes":16}],
 "ops":[{"name":"Y","inputs":["x"],"outputs":["y"]}],"inputs":["x","u"],"outputs":["y"]})";

// Rounded to the alignment the two overlap in 64, of which the input's 15 are not on top: 50.
inline constexpr char kPairGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"a","bytes":33},{"name":"b","bytes":50}],
 "ops":[{"name":"x","inputs":["a"],"outputs":["b"],
         "overlap":[{"input":0,"output":0,"forward_bytes":1,"backward_bytes":1}]}],
 "inputs":["a"],"outputs":["b"]})";

// Nothing can be shared with t3, which has no bytes, but the second mode needs less scratch.
inline constexpr char kScratchModeGraph[] = R"({"format":"netkit-graph/1","alignment":4,
 "tensors":[{"name":"t0","bytes":3},{"name":"t1","bytes":2},{"name":"t2","bytes":3},
            {"name":"t3","bytes":0},{"name":"t4","bytes":4}],
 "ops":[{"name":"o0","inputs":[],"outputs":["t0"],"scratch_bytes":2},
        {"name":"o1","inputs":["t0"],"outputs":["t1"]},
        {"name":"o2","inputs":["t1"],"outputs":["t2","t3"]},
        {"name":"o3","inputs":["t0","t3"],"outputs":["t4"],"scratch_bytes":4,
         "overlap":[{"input":1,"output":0,"forward_bytes":0,"backward_bytes":0},
                    {"input":1,"output":0,"forward_bytes":1,"scratch_bytes":2}]}],
 "inputs":[],"outputs":["t2","t4"]})";

// Rounded, scratch of 1 costs what overlapping saves; on top it does not.
inline constexpr char kSlackModeGraph[] = R"({"format":"netkit-graph/1","alignment":2,
 "tensors":[{"name":"a","bytes":2},{"name":"b","bytes":4}],
 "ops":[{"name":"o","inputs":["a"],"outputs":["b"],
         "overlap":[{"input":0,"output":0,"forward_bytes":0,"scratch_bytes":1}]}],
 "inputs":["a"],"outputs":["b"]})";

}  // namespace netkit::plan::testing
