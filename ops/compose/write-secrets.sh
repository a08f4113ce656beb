#!/usr/bin/env bash
# Writes what compose.yaml mounts as secrets into FOLDER (.secrets): random passwords, and what contains one. Keeps what is there.
#   ops/compose/write-secrets.sh [FOLDER]
set -euo pipefail
folder=${1:-$(dirname "$0")/../../.secrets}
mkdir -p "$folder"
# The containers have users of their own, so they must be able to read the files. Only you can reach them outside of a container.
chmod 700 "$folder"
cd "$folder"

write() {
  [ -e "$1" ] || printf '%s' "$2" >"$1"
  chmod 644 "$1"
}

for name in postgres-password storage-password gateway-secret grafana-password; do
  write $name "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
done
password=$(cat postgres-password)
write database-url "postgres://crossfade:$password@pgbouncer:6432/crossfade?sslmode=disable"
write database-direct-url "postgres://crossfade:$password@postgres:5432/crossfade?sslmode=disable"
write pgbouncer-users "\"crossfade\" \"$password\""
