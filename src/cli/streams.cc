// SPDX-License-Identifier: MIT
// The three standard streams: there at the start, and stdout really written at the end.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/cli.h"

namespace netkit::cli {

namespace {
bool pipe_ends_us = false;  // SIGPIPE would have ended the process
}

void open_streams() {
  pipe_ends_us = std::signal(SIGPIPE, SIG_IGN) == SIG_DFL;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error, not the end
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is `fd`. Read-only for stdout: writing to it still fails.
    if (::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

Result<void> flush_stdout() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int why = errno;
  if (flushed && std::ferror(stdout) == 0) return {};
  return fail(
      ErrorCode::kUsage,
      fmt::format("cannot write: {}", why != 0 ? std::strerror(why) : "the answer is cut short"),
      "stdout", "send it where it is taken whole; no output file was written");
}

bool stdout_reader_left() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

int close_stdout(int code) {
  const Result<void> flushed = flush_stdout();
  if (flushed) return code;
  if (pipe_ends_us && stdout_reader_left()) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  if (code < static_cast<int>(ErrorCode::kUsage)) report_on_stderr(flushed.error());  // else told
  return static_cast<int>(ErrorCode::kUsage);
}

}  // namespace netkit::cli
