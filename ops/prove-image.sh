#!/usr/bin/env bash
# Recreates the image's contents in a clean Debian, for machines without a container engine: the packages (ffmpeg only with
# PACKAGES=ffmpeg), the bundle, the unprivileged user and the read-only file system. Then it runs COMMAND there with the settings
# from the environment, for example
#   npm run build && sudo --preserve-env ops/prove-image.sh node --max-semi-space-size=64 /app/server.mjs
# Needs root, debootstrap, and Node 24 or later in NODE. COMMAND uses this machine's network.
set -euo pipefail
cd "$(dirname "$0")/.."
node=${NODE:-$(readlink -f node_modules/.bin/node)}
bundle=${BUNDLE:-dist/node}
root=$(mktemp -d /tmp/crossfade-image-XXXXXX)
chmod 755 "$root"
trap 'rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase --include=ca-certificates,libatomic1,util-linux${PACKAGES:+,$PACKAGES} bookworm "$root" >/dev/null
install -m 755 "$node" "$root/usr/local/bin/node"
cp -r "$bundle" "$root/app"

# The command gets its own mount namespace, so nothing stays mounted, however it ends.
exec_in_root='
  root=$1
  shift
  mount --bind "$root" "$root"
  mount -o remount,bind,ro "$root"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  exec chroot --userspec=10001:10001 "$root" "$@"
'
unshare --mount --propagation private bash -c "$exec_in_root" bash "$root" env PATH=/usr/local/bin:/usr/bin:/bin "$@"
