#!/usr/bin/env bash
# Writes the secrets that compose.yaml mounts to FOLDER (default: .secrets): random passwords, and files that contain one. Keeps
# existing files.
#   ops/compose/write-secrets.sh [FOLDER]
set -euo pipefail
folder=${1:-$(dirname "$0")/../../.secrets}
mkdir -p "$folder"
# Each container has its own user, so everyone must be able to read the files. Outside the containers, only you can reach them.
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
