#!/usr/bin/env bash
# Installs the Debian packages that the tests need and that are missing here. The merge checks, the workflows and the
# development container all run this script. `--list` only prints the missing packages.
set -uo pipefail

missing_packages() {
  command -v git >/dev/null || echo git
  [ -x "${CHROMIUM_PATH:-/usr/bin/chromium}" ] || echo chromium
  command -v "${FFMPEG_PATH:-ffmpeg}" >/dev/null || echo ffmpeg
  command -v redis-server >/dev/null || echo redis-server
  command -v zsh >/dev/null || echo zsh
  command -v jq >/dev/null || echo jq
  command -v promtool >/dev/null || echo prometheus
  command -v faketime >/dev/null || echo faketime
  PATH=$PATH:/usr/sbin command -v pgbouncer >/dev/null || echo pgbouncer
  [ -x /usr/lib/postgresql/15/bin/postgres ] || echo postgresql-15
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Debian starts what it installs, on ports that the tests do not use but others might.
without_starting_services() {
  local policy=/usr/sbin/policy-rc.d clusters=/etc/postgresql-common/createcluster.conf
  [ -e $policy ] || {
    # Also if the script is interrupted: otherwise, no service that is installed later would start.
    trap "as_root rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root install -m 755 /dev/stdin $policy
  }
  [ -e $clusters ] || {
    as_root mkdir -p ${clusters%/*}
    echo 'create_main_cluster = false' | as_root install -m 644 /dev/stdin $clusters
  }
  "$@"
}

install_packages() {
  as_root apt-get update -qq &&
    without_starting_services as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -qq -y --no-install-recommends -o Dpkg::Options::=--force-confold "$@"
}

# Package names contain no spaces.
packages=($(missing_packages))
if [ "${1:-}" = --list ]; then
  missing_packages
elif [ ${#packages[@]} != 0 ]; then
  install_packages "${packages[@]}" || {
    echo "could not install ${packages[*]}" >&2
    exit 1
  }
fi
