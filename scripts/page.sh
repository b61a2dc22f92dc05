#!/usr/bin/env bash
# Makes the script of the live view's page, crates/manybody-serve/page/page.js, from its TypeScript sources and the
# packages of its lock file. Needs Node and npm.
#
#     scripts/page.sh            makes page.js
#     scripts/page.sh --check    fails where page.js is not what would be made
set -euo pipefail
cd "$(dirname "$0")/../crates/manybody-serve/page"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
npx --no-install tsc --noEmit
notices() {
    echo '/*!'
    cat banner.txt
    for package in three d3-scale-chromatic d3-interpolate d3-color; do
        printf '\n%s\n\n' "$package"
        cat "node_modules/$package/LICENSE"
    done
    echo '*/'
}
bundle=$(mktemp)
trap 'rm -f "$bundle"' EXIT
npx --no-install esbuild src/main.ts --bundle --minify --format=esm --target=es2022 --charset=utf8 \
    --legal-comments=inline --log-level=warning --banner:js="$(notices)" >"$bundle"
if [ "${1:-}" = --check ]; then
    cmp "$bundle" page.js || { echo "page.js is not made of these sources: run scripts/page.sh" >&2; exit 1; }
else
    cp "$bundle" page.js
fi
