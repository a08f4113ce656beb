#!/usr/bin/env bash
# Builds the image, starts all of compose.yaml with it, sends one native and one forwarded request, and stops everything.
# Needs Docker with Compose, and the ports of compose.yaml.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .data
folder=$(mktemp -d "$PWD/.data/compose-XXXXXX")
export CROSSFADE_SECRETS=$folder/secrets COMPOSE_PROJECT_NAME=crossfade-try COMPOSE_FILE=compose.yaml:ops/compose/core.yml
base=http://127.0.0.1:8787

compose() {
  docker compose --env-file "$folder/env" "$@"
}

stop() {
  local status=$?
  [ $status = 0 ] || compose logs --tail 50 gateway jobs migrate pgbouncer || true
  compose down --volumes --timeout 20 || true
  rm -rf "$folder"
  exit $status
}
trap stop EXIT

ops/compose/write-secrets.sh "$CROSSFADE_SECRETS"
sed -E 's#^CORE_BASE_URL=.*#CORE_BASE_URL=http://core:8080#' ops/compose/env.example >"$folder/env"
compose up --build --detach --quiet-pull
fetch() {
  curl --silent --show-error --fail --retry 60 --retry-delay 1 --retry-all-errors "$@"
}
fetch "$base/readyz"
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

# The configuration names the alert rules, so promtool checks them too.
compose exec -T prometheus promtool check config /etc/prometheus.yml
# Grafana's password is the one that write-secrets.sh wrote.
fetch --output /dev/null --user "admin:$(cat "$CROSSFADE_SECRETS/grafana-password")" http://127.0.0.1:3000/api/org

# All services must run, except for the two that exit when they are done.
list() {
  sort | grep -vx -e migrate -e create-bucket
}
[ "$(compose ps --services --status running | list)" = "$(compose config --services | list)" ] || {
  compose ps --all
  exit 1
}
echo 'compose.yaml works.'
