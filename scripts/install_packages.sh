#!/bin/sh
# SPDX-License-Identifier: MIT
# install_packages.sh KIND: installs with apt what packages.tsv names for `build` and for KIND
# (test, python, mcu_arm …) and is missing.
# NETKIT_NO_INSTALL=1: only says what is missing.
set -eu
what=${1:-build}
list=$(dirname "$0")/packages.tsv
command -v dpkg-query >/dev/null 2>&1 || {
  echo "netkit: not a Debian system: install what $list names by hand"
  exit 0
}
wanted=$(awk -F'\t' -v what="$what" '!/^#/ && ","$2"," ~ ",(build|" what "),"  {print $1}' "$list")
missing=
for package in $wanted; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "${NETKIT_NO_INSTALL:-0}" = 1 ]; then
  echo "netkit: missing packages (NETKIT_NO_INSTALL=1, nothing installed):$missing" >&2
  exit 1
fi
echo "netkit: installing with apt:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
$sudo apt-get -o DPkg::Lock::Timeout=600 -q update
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -q install -y \
  --no-install-recommends $missing
