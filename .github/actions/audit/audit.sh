#!/usr/bin/env bash
# Installs the audit beside the app, waits for the page, and audits it. The exit code is the audit's.
set -euo pipefail

mkdir -p "$TOOLS"
npm install --silent --no-save --prefix "$TOOLS" "@murmuration/collector@$VERSION" playwright-core
[ -n "${CHROMIUM:-}" ] || "$TOOLS/node_modules/.bin/playwright-core" install --with-deps chromium

for _ in $(seq 60); do
  curl --silent --output /dev/null "$URL" && break
  sleep 1
done

options=(--url "$URL" --report "$TOOLS/audit.md" "$TOOLS/audit.html")
[ -z "${PLAN:-}" ] || options+=(--plan "$PLAN")
[ "${ACCEPT_LARGE:-false}" != true ] || options+=(--accept-large)
status=0
"$TOOLS/node_modules/.bin/murmuration" audit "${options[@]}" || status=$?
[ ! -f "$TOOLS/audit.md" ] || cat "$TOOLS/audit.md" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
exit "$status"
