#!/bin/sh
# Starts the server with the built-in demo voice, has it speak to a Wyoming client, and ends it as Docker would: SIGTERM must be exit code 0.
# Run while the image is built: an image that cannot speak does not come about.
set -eu
folder=$(mktemp -d)
wyoming-pocket-tts serve --demo --no-zeroconf --port 10212 --threads 1 --uri tcp://127.0.0.1:10211 --cache-dir "$folder" &
server=$!
trap 'kill -9 $server 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m wyoming_pocket_tts.healthcheck tcp://127.0.0.1:10211 --wait 300 --speak "It speaks."
kill -TERM $server
wait $server
