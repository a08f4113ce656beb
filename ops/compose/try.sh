#!/usr/bin/env bash
# Builds the image, starts all of compose.yaml with it, sends one native and one forwarded request, and stops everything.
# Needs Docker with Compose, and the ports of compose.yaml.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ ! -e .env ] || {
  echo 'There is a .env with your settings: move it away, because this script writes its own.' >&2
  exit 1
}
export COMPOSE_PROJECT_NAME=crossfade-try COMPOSE_FILE=compose.yaml:ops/compose/core.yml
base=http://127.0.0.1:8787

stop() {
  local status=$?
  [ $status = 0 ] || docker compose logs --tail 50 gateway jobs migrate pgbouncer || true
  docker compose down --volumes --timeout 20 || true
  rm -f .env
  exit $status
}
trap stop EXIT

# Everything that the example leaves empty gets a random secret.
secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
sed -E "s#^(POSTGRES_PASSWORD|STORAGE_PASSWORD|GATEWAY_SECRET)=\$#\1=$secret#; s#^CORE_BASE_URL=.*#CORE_BASE_URL=http://core:8080#" \
  ops/compose/env.example >.env
docker compose up --build --detach --quiet-pull
curl --silent --show-error --fail --retry 60 --retry-delay 1 --retry-all-errors "$base/readyz"
echo

# expect STATUS RUNTIME PATH
expect() {
  local response
  response=$(curl --silent --show-error --include "$base$3" | tr -d '\r')
  echo "$3: $(head -n 1 <<<"$response")"
  grep -q "^HTTP/1.1 $1 " <<<"$response" && grep -qi "^x-service-core-runtime: $2$" <<<"$response" || {
    echo "expected $1 from $2:" >&2
    echo "$response" >&2
    exit 1
  }
}
# The link is looked up in the database.
expect 404 native /v1/public/track-links/none
expect 200 proxy /v1/anything
[ -z "$(docker compose ps --status restarting --quiet)" ] || {
  docker compose ps
  exit 1
}
echo 'compose.yaml works.'
