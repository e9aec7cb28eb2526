# One image for two uses: the stage `server` is for Docker, the stage `addon` (the last one, so the default) for Home Assistant.
#
#   docker build --target server -t wyoming-pocket-tts .
#
# BUILD_FROM  Debian with apt: python3 comes from it. Pinned by its digest, for both architectures; docs/release.md says when it is renewed.
# TORCH_INDEX where torch's CPU build comes from; empty: from where pip gets everything else.
# PIP_ARGS    further options for pip.

ARG BUILD_FROM=debian:trixie-20260918-slim@sha256:a99cfc517144bc59b1978475ec53b46ecabec7e43635402ee5b77cc54cd1b20a

FROM ${BUILD_FROM} AS base
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log


FROM base AS build
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ARG PIP_ARGS=""
# The compiler is for the native kernels; it stays behind, too.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev python3-venv
# pip stays behind in a folder of its own: the image does not need it.
RUN python3 -m venv /opt/pip && python3 -m venv --without-pip /opt/pocket-tts
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
COPY requirements.lock ./
# torch first, and from an index that has CPU builds: others bring gigabytes for GPUs. The layers above the program change seldom.
RUN grep '^torch==' requirements.lock > torch.txt \
    && /opt/pip/bin/pip --python /opt/pocket-tts/bin/python install ${PIP_ARGS} --no-deps --no-compile ${TORCH_INDEX:+--index-url ${TORCH_INDEX}} -r torch.txt
RUN grep -v '^torch==' requirements.lock > rest.txt \
    && /opt/pip/bin/pip --python /opt/pocket-tts/bin/python install ${PIP_ARGS} --no-deps --no-compile --only-binary :all: -r rest.txt
# What nobody imports: of torch, what C++ programs are built and tested with (headers, test programs, static libraries); the tests of three packages
# that torch asks for, which are a third of them.
RUN cd /opt/pocket-tts/lib/python3*/site-packages \
    && rm -rf torch/include torch/share/cmake torch/test \
    && find torch/bin -type f ! -name torch_shm_manager -delete \
    && find . -name '*.a' -delete \
    && find sympy networkx mpmath -type d -name tests -prune -exec rm -rf {} +
COPY pyproject.toml README.md LICENSE hatch_build.py ./
COPY config config
COPY wyoming_pocket_tts wyoming_pocket_tts
RUN /opt/pip/bin/pip --python /opt/pocket-tts/bin/python install ${PIP_ARGS} --no-deps --no-compile . \
    && /opt/pip/bin/pip --python /opt/pocket-tts/bin/python check


FROM base AS server
COPY --from=build /opt/pocket-tts /opt/pocket-tts
# HF_HOME is where everything is kept that was downloaded or made.
ENV PATH=/opt/pocket-tts/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PYTHONUNBUFFERED=1 \
    HF_HOME=/data/cache \
    HF_HUB_DISABLE_TELEMETRY=1 \
    LANG=C.UTF-8
# An image that cannot speak is none. What it imports on the way is compiled by that, and of the rest what is small: the root file system may be
# read-only later, and all of torch compiled would be 60 MB for nothing.
COPY packaging/smoke.sh /tmp/smoke.sh
RUN sh /tmp/smoke.sh && rm /tmp/smoke.sh \
    && python3 -c 'from wyoming_pocket_tts.engine.native import library; assert library(), "the native kernels are missing"' \
    && python3 -m compileall -q -x '/(torch|sympy|networkx|setuptools|numpy)/' /opt/pocket-tts/lib
RUN useradd --uid 10200 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin pocket-tts \
    && mkdir -p /data/voices && chown -R pocket-tts:pocket-tts /data
USER pocket-tts
VOLUME /data
EXPOSE 10200 8000
HEALTHCHECK --interval=60s --timeout=10s --start-period=10m --start-interval=5s --retries=3 \
    CMD ["python3", "-m", "wyoming_pocket_tts.healthcheck"]
ENTRYPOINT ["wyoming-pocket-tts"]
CMD ["serve", "--voices-dir", "/data/voices"]
ARG BUILD_VERSION=dev
LABEL org.opencontainers.image.title="wyoming-pocket-tts" \
    org.opencontainers.image.description="Text-to-speech for Home Assistant and every Wyoming client" \
    org.opencontainers.image.source="https://github.com/wyoming-pocket-tts/wyoming-pocket-tts" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="${BUILD_VERSION}"


# Home Assistant writes the options for root alone, and the mapped folders are root's; AppArmor confines it instead.
FROM server AS addon
USER root
CMD ["serve", "--addon"]
ARG BUILD_ARCH=amd64
ARG BUILD_VERSION=dev
LABEL io.hass.type="app" \
    io.hass.name="Pocket TTS" \
    io.hass.description="Text-to-speech in seven languages, on this machine's CPU, with voices of your own" \
    io.hass.url="https://github.com/wyoming-pocket-tts/wyoming-pocket-tts/tree/main/addon" \
    io.hass.version="${BUILD_VERSION}" \
    io.hass.arch="${BUILD_ARCH}"
