// SPDX-License-Identifier: MIT
// The three standard streams: there at the start, and stdout really written at the end.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/cli.h"

namespace netkit::cli {

void open_streams() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error, not the end
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is `fd`. Read-only for stdout: writing to it still fails.
    if (::open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

int close_stdout(int code) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int why = errno;
  if (flushed && std::ferror(stdout) == 0) return code;
  constexpr int kUsage = static_cast<int>(ErrorCode::kUsage);
  if (code < kUsage) {  // else a line says already what went wrong
    print_on_stderr(fmt::format("netkit: stdout: cannot write: {}\n",
                                why != 0 ? std::strerror(why) : "the answer is cut short"));
  }
  return kUsage;
}

}  // namespace netkit::cli
