// SPDX-License-Identifier: MIT
// Runs the command line as a user does, in a folder with the models and the planner's examples.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "test_support.h"

namespace netkit::test {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string out, err;
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = work_folder("cli");
    fs::create_directory_symlink(std::string(NETKIT_SOURCE_DIR) + "/examples/planner",
                                 folder_ + "/planner");
    fs::create_directory_symlink(std::string(NETKIT_SOURCE_DIR) + "/models", folder_ + "/models");
  }

  std::string text(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  // `command` is what follows "netkit" in a shell.
  Outcome run(const std::string& command) const {
    const std::string line = "cd '" + folder_ + "' && '" + std::string(NETKIT_BINARY_DIR) +
                             "/netkit' " + command + " 2>err" +
                             (command.find('>') == std::string::npos ? " >out" : "");
    const int status = std::system(line.c_str());
    Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, text("out"), text("err")};
    fs::remove(folder_ + "/out");
    fs::remove(folder_ + "/err");
    return outcome;
  }

  void expect_error(const std::string& command, int code, const std::string& message) const {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, code) << command << "\n" << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << command << "\n" << outcome.err;
  }

  std::string folder_;
};

constexpr char kModel[] = "models/digits_cnn_int8.tflite";

}  // namespace netkit::test
