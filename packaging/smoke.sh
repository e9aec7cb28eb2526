#!/bin/sh
# Starts the server with the starter voice, which comes with the package, has it speak to a Wyoming client, and ends it as Docker would: SIGTERM must be exit code 0.
# Run while the image is built: an image that cannot speak does not come about. It may take an hour, as under emulation, but ends with the server.
set -eu
folder=$(mktemp -d)
wyoming-pocket-tts serve --language starter --no-zeroconf --port 10212 --threads 1 --uri tcp://127.0.0.1:10211 --cache-dir "$folder" &
server=$!
trap 'kill -9 $server 2>/dev/null || true; rm -rf "$folder"' EXIT
minutes=60
until python3 -m wyoming_pocket_tts.healthcheck tcp://127.0.0.1:10211 --wait 60 --timeout 60 --speak "It speaks." 2>"$folder/why"; do
    minutes=$((minutes - 1))
    if [ $minutes = 0 ] || ! kill -0 $server 2>/dev/null; then
        cat "$folder/why"
        exit 1
    fi
done
kill -TERM $server
wait $server
