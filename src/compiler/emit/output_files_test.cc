// SPDX-License-Identifier: MIT
#include "compiler/emit/output_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "compiler/ir/files/files_read.h"

namespace netkit::emit {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("netkit_out_" + std::to_string(::getpid()))).string();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  std::string folder_;
};

TEST_F(OutputFiles, ARegularFileIsReplacedAndKeepsItsMode) {
  put("a", "old");
  put("a.partial", "of the user");
  fs::permissions(at("a"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(write_file(at("a"), "new"));
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(text("a.partial"), "of the user");
  EXPECT_EQ(fs::status(at("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(entries(), 2u);
}

TEST_F(OutputFiles, ALinkIsFollowed) {
  put("real", "old");
  fs::create_symlink("real", at("link"));
  fs::create_symlink("not_yet", at("dangling"));
  ASSERT_TRUE(write_all({{at("link"), "new"}, {at("dangling"), "first"}}));
  EXPECT_TRUE(fs::is_symlink(at("link")) && fs::is_symlink(at("dangling")));
  EXPECT_EQ(text("real"), "new");
  EXPECT_EQ(text("not_yet"), "first");
  fs::create_symlink("round", at("round"));
  EXPECT_FALSE(write_file(at("round"), "x"));
  EXPECT_EQ(entries(), 5u);
}

TEST_F(OutputFiles, DevicesAndPipesAreWrittenToNotReplaced) {
  ASSERT_TRUE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text("pipe"); });
  const auto written = write_file(at("pipe"), "through");
  reader.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(OutputFiles, AllOrNothing) {
  put("a", "old");
  const auto full = write_all({{at("a"), "new"}, {at("b"), "new"}, {"/dev/full", "x"}});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kUsage);
  EXPECT_EQ(full.error().where, "/dev/full");
  EXPECT_EQ(full.error().hint, "free some space or choose another disk");
  fs::create_directory(at("folder"));
  EXPECT_FALSE(write_all({{at("a"), "new"}, {at("folder"), "x"}}));
  EXPECT_FALSE(write_all({{at("a"), "new"}, {at("missing/b"), "x"}}));
  EXPECT_FALSE(write_all({{at("c"), "new"}, {at("folder/../c"), "x"}}));
  const std::string here = fs::current_path().string();
  fs::current_path(folder_);
  EXPECT_FALSE(write_all({{"c", "new"}, {"./c", "x"}}));
  fs::current_path(here);
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(entries(), 2u);
  ASSERT_TRUE(write_all({{at("a"), "new"}, {at("b"), "new"}}));
  EXPECT_EQ(text("a") + text("b"), "newnew");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(OutputFiles, FoldersMadeForNothingAreRemoved) {
  const auto out = write_files(at("x/y"), {{"good", "1"}, {"bad/name", "2"}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().where, at("x/y/bad/name"));
  EXPECT_EQ(entries(), 0u);
  put("file", "");
  EXPECT_FALSE(write_files(at("file/y"), {{"a", ""}}));
  ASSERT_TRUE(write_files(at("x/y"), {{"good", "1"}}));
  EXPECT_EQ(text("x/y/good"), "1");
  EXPECT_FALSE(write_file("", ""));
  EXPECT_FALSE(write_file(at("x/"), ""));
}

TEST_F(OutputFiles, ALongNameIsRefusedByItsOwnName) {
  const std::string name = at(std::string(300, 'n'));
  const auto out = write_file(name, "");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().where, name);
  EXPECT_EQ(out.error().hint, "choose a shorter name");
}

TEST_F(OutputFiles, WhatWillBeWrittenIsNotRead) {
  put("in", "old");
  put("other", "old");
  fs::create_hard_link(at("in"), at("same"));
  const std::string in = at("in"), same = at("same"), other = at("other"), none = at("none");
  const FilesRead outer;
  ASSERT_TRUE(FilesRead::declare(std::vector{same, none, std::string()}, std::vector{other, none}));
  {
    const FilesRead inner;
    const auto opened = FilesRead::open(in);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().where, same);
    EXPECT_TRUE(FilesRead::open(other));
    EXPECT_FALSE(FilesRead::declare(std::vector{other})) << "read already";
  }
  EXPECT_FALSE(FilesRead::declare(std::vector{none, other}, {}));
  EXPECT_FALSE(FilesRead::declare(std::vector{in}, std::vector{same}));
}

TEST_F(OutputFiles, WhatWasReadIsNotReplaced) {
  put("in", "old");
  fs::create_hard_link(at("in"), at("same"));
  {
    const FilesRead outer;
    {
      const FilesRead inner;
      ASSERT_TRUE(FilesRead::open(at("in")));
    }
    for (const char* name : {"in", "../", "same"}) {
      const std::string path =
          std::string(name) == "../"
              ? folder_ + "/../" + fs::path(folder_).filename().string() + "/in"
              : at(name);
      const auto written = write_all({{at("other"), "new"}, {path, "new"}});
      ASSERT_FALSE(written) << path;
      EXPECT_EQ(written.error().where, path);
    }
    fs::remove(at("same"));
    fs::remove(at("in"));
    EXPECT_FALSE(write_file(at("in"), "new")) << "the place counts too";
  }
  EXPECT_TRUE(write_file(at("in"), "new")) << "another command's output";
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace netkit::emit
