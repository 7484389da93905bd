# codriver with its world and a synthesiser built in, not as root: see docs/guides/install.md.
# There is no HEALTHCHECK: it would take time from the cores that latencies are measured on. The last
# step of the build runs `codriver doctor` instead.
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --quiet --wheel-dir /wheels ".[a2a,mcp]"

FROM python:3.12-slim
# hadolint ignore=DL3008 # the version of Debian is that of the image above; its packages have no other
RUN apt-get update \
    && apt-get install -y --no-install-recommends espeak-ng \
    && rm -rf /var/lib/apt/lists/*
# hadolint ignore=DL3013 # there is one version to choose from, that of the first stage
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "codriver[a2a,mcp]"
ENV CODRIVER_CACHE=/var/cache/codriver
RUN useradd --uid 1000 --create-home driver \
    && install --directory --owner driver /work "$CODRIVER_CACHE"
USER 1000
WORKDIR /work
RUN codriver world build && codriver doctor
EXPOSE 8080
ENTRYPOINT ["codriver"]
CMD ["demo"]
