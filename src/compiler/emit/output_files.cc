// SPDX-License-Identifier: MIT
#include "compiler/emit/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string_view>

#include "compiler/ir/files/files_read.h"

namespace netkit::emit {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxNames = 10000;  // tried for a temporary file
constexpr int kMaxLinks = 40;     // as the kernel's own limit
constexpr mode_t kNewFile = 0666, kNewFolder = 0777;

struct Hint {
  int error;
  const char* text;
};
constexpr Hint kHints[] = {
    {ENOSPC, "free some space or choose another disk"},
    {EDQUOT, "free some space or choose another disk"},
    {EFBIG, "the limit on the size of a file is too low (ulimit -f)"},
    {ENAMETOOLONG, "choose a shorter name"},
    {ENOENT, "choose a folder that exists"},
    {ENOTDIR, "choose a folder that exists"},
    {EACCES, "choose a place that can be written"},
    {EPERM, "choose a place that can be written"},
    {EROFS, "choose a place that can be written"},
};

std::unexpected<Error> refuse(const std::string& path, std::string_view why,
                              const char* hint = "choose another output") {
  return fail(ErrorCode::kUsage, fmt::format("cannot write: {}", why), path, hint);
}

std::unexpected<Error> refuse_errno(const std::string& path, int error) {
  const auto* known = std::ranges::find(kHints, error, &Hint::error);
  if (known == std::end(kHints)) return refuse(path, std::strerror(error));
  return refuse(path, std::strerror(error), known->text);
}

// 0 or the errno of the first call that failed; closes `fd`.
int write_and_close(int fd, std::string_view text) {
  int error = 0;
  while (error == 0 && !text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

// One output on its way.
struct Target {
  std::string name;  // as asked for
  std::string_view text;
  std::string path;        // symlinks followed
  bool direct = false;     // a device, a FIFO or an open file of this process
  mode_t old_mode = 0;     // of the regular file that stands there; 0: none
  std::string fresh, old;  // beside it: the new file, and the old one under another name
  bool renamed = false;
};

// Follows links by hand, as the last one may point to a file that is still to be made.
Result<Target> resolve(const OutputFile& file) {
  Target target{file.name, file.text, file.name, false, 0, {}, {}, false};
  const fs::path name(file.name);
  if (name.filename().empty()) return refuse(file.name, "not the name of a file");
  std::error_code error;
  const fs::path parent = name.has_parent_path() ? name.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, error)) {
    return refuse(file.name, "no such folder", "choose a folder that exists");
  }
  struct stat info{};
  if (::stat(file.name.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return refuse(file.name, "is a folder", "add a file name");
    target.direct = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode) || S_ISFIFO(info.st_mode);
    if (target.direct) return target;
    if (!S_ISREG(info.st_mode)) return refuse(file.name, "not a regular file");
    if (::access(file.name.c_str(), W_OK) != 0) return refuse_errno(file.name, errno);
    target.old_mode = info.st_mode & 07777;
  } else if (errno != ENOENT) {
    return refuse_errno(file.name, errno);
  }
  fs::path at = name;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(fs::symlink_status(at, error)); ++i) {
    at = at.parent_path() / fs::read_symlink(at, error);
    if (error) return refuse(file.name, error.message());
    // /dev/stdout and its like: whoever opened that file still writes to it.
    target.direct = target.direct || at.string().starts_with("/proc/");
  }
  const fs::path folder = at.has_parent_path() ? at.parent_path() : fs::path(".");
  target.path = (fs::canonical(folder, error) / at.filename()).string();
  if (error) return refuse(file.name, error.message());
  return target;
}

// A file that was not there before, beside the target; its name goes to `name`.
int open_beside(const Target& target, std::string& name) {
  const fs::path folder = fs::path(target.path).parent_path();
  for (int i = 0; i < kMaxNames; ++i) {
    name = (folder / fmt::format(".netkit-{}-{}", ::getpid(), i)).string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFile);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

class Writing {
 public:
  ~Writing();
  Result<void> make_folder(const std::string& folder);
  Result<void> add(const OutputFile& file);
  // All but the renames; the files' texts are not needed after that.
  Result<void> prepare();
  Result<void> put_all_in_place();

 private:
  Result<void> write_fresh(Target& target);
  Result<void> put_in_place(Target& target);

  std::vector<Target> targets_;
  std::vector<std::string> made_folders_;
  bool done_ = false;
};

// What failed is taken back, last first.
Writing::~Writing() {
  for (auto target = targets_.rbegin(); target != targets_.rend(); ++target) {
    if (!done_ && target->renamed && target->old.empty()) ::unlink(target->path.c_str());
    if (!target->old.empty()) {
      done_ ? ::unlink(target->old.c_str())
            : std::rename(target->old.c_str(), target->path.c_str());
    }
    if (!target->renamed && !target->fresh.empty()) ::unlink(target->fresh.c_str());
  }
  if (done_) return;
  for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder) {
    ::rmdir(folder->c_str());
  }
}

Result<void> Writing::make_folder(const std::string& folder) {
  fs::path at;
  for (const fs::path& part : fs::path(folder)) {
    at /= part;
    std::error_code error;
    if (fs::is_directory(at, error)) continue;
    if (::mkdir(at.c_str(), kNewFolder) != 0) {
      if (errno == EEXIST) return refuse(folder, fmt::format("{} is not a folder", at.string()));
      return refuse_errno(folder, errno);
    }
    made_folders_.push_back(at.string());
  }
  return {};
}

Result<void> Writing::add(const OutputFile& file) {
  NK_ASSIGN(Target target, resolve(file));
  if (FilesRead::holds(file.name)) return refuse(file.name, "it is an input of this command");
  for (const Target& other : targets_) {
    if (!target.direct && !other.direct && other.path == target.path) {
      return refuse(file.name, "two outputs in one file", "give each a file of its own");
    }
  }
  targets_.push_back(std::move(target));
  return {};
}

Result<void> Writing::write_fresh(Target& target) {
  const int fd = open_beside(target, target.fresh);
  if (fd < 0) {
    const int why = errno;
    target.fresh.clear();
    return refuse_errno(target.name, why);
  }
  if (target.old_mode != 0) ::fchmod(fd, target.old_mode);
  const int error = write_and_close(fd, target.text);
  if (error != 0) return refuse_errno(target.name, error);
  return {};
}

Result<void> Writing::put_in_place(Target& target) {
  if (target.old_mode != 0 && targets_.size() > 1) {  // a single rename needs no way back
    std::string name;
    const int fd = open_beside(target, name);
    if (fd < 0) return refuse_errno(target.name, errno);
    ::close(fd);
    if (std::rename(target.path.c_str(), name.c_str()) != 0) {
      const int why = errno;
      ::unlink(name.c_str());
      return refuse_errno(target.name, why);
    }
    target.old = name;
  }
  if (std::rename(target.fresh.c_str(), target.path.c_str()) != 0) {
    return refuse_errno(target.name, errno);
  }
  target.renamed = true;
  return {};
}

Result<void> Writing::prepare() {
  for (Target& target : targets_) {
    if (!target.direct) NK_TRY(write_fresh(target));
  }
  for (const Target& target : targets_) {
    if (!target.direct) continue;
    const int fd = ::open(target.name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    const int error = fd < 0 ? errno : write_and_close(fd, target.text);
    if (error != 0) return refuse_errno(target.name, error);
  }
  return {};
}

Result<void> Writing::put_all_in_place() {
  for (Target& target : targets_) {
    if (!target.direct) NK_TRY(put_in_place(target));
  }
  done_ = true;
  return {};
}

}  // namespace

struct HeldOutputs::Files {
  std::vector<std::function<Result<void>()>> put_in_place;  // each owns what it puts in place
};

namespace {
thread_local HeldOutputs* holder = nullptr;
}

HeldOutputs::HeldOutputs() : files_(std::make_unique<Files>()), outer_(holder) {
  holder = this;
}

HeldOutputs::~HeldOutputs() {
  holder = outer_;
}

Result<void> HeldOutputs::put_in_place() {
  for (const auto& put : files_->put_in_place) NK_TRY(put());
  return {};
}

Result<void> write_all(const std::vector<OutputFile>& files,
                       const std::vector<std::string>& folders) {
  const auto writing = std::make_shared<Writing>();
  for (const std::string& folder : folders) NK_TRY(writing->make_folder(folder));
  for (const OutputFile& file : files) NK_TRY(writing->add(file));
  NK_TRY(writing->prepare());
  if (holder == nullptr) return writing->put_all_in_place();
  holder->files_->put_in_place.push_back([writing] { return writing->put_all_in_place(); });
  return {};
}

Result<void> write_files(const std::string& folder, const std::vector<OutputFile>& files) {
  std::vector<OutputFile> placed;
  for (const OutputFile& file : files) {
    placed.push_back({(std::filesystem::path(folder) / file.name).string(), file.text});
  }
  return write_all(placed, {folder});
}

Result<void> write_file(const std::string& path, const std::string& text) {
  return write_all({{path, text}});
}

}  // namespace netkit::emit
