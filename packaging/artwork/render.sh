#!/bin/sh
# Renders the add-on's pictures from the SVG files beside this script; needs Chromium.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for picture in icon:128,128 logo:250,100; do
  name=${picture%%:*}
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --default-background-color=00000000 \
    --window-size="${picture#*:}" --screenshot="$here/../../addon/$name.png" "file://$here/$name.svg"
done
