#!/usr/bin/env bash
set -euo pipefail

CACHE_DIR="${CACHE_DIR:-$HOME/.cache}"

# Prints the path of a key.
cache_path() {
  local key="$1"
  printf '%s/%s\n' "$CACHE_DIR" "$key"
}

function cache_get {
  local path
  path="$(cache_path "$1")"
  cat "$path"
}

cache_clear() (
  cd "$CACHE_DIR"
  rm -rf -- *
)

cache_get "$@"
