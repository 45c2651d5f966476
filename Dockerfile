# syntax=docker/dockerfile:1
# The Node that README.md recommends, on Debian 13.
ARG NODE_IMAGE=node:24.21.0-trixie-slim

FROM ${NODE_IMAGE} AS build
# The build sends no telemetry, and pnpm fails if the lockfile does not match.
ENV CI=true DO_NOT_TRACK=1 pnpm_config_store_dir=/pnpm/store
WORKDIR /source
COPY . .
# package.json has the version of pnpm. Only what the service needs is installed and built.
RUN --mount=type=cache,target=/pnpm/store --mount=type=cache,target=/root/.npm \
    pnpm="npx --yes $(node -p 'require("./package.json").packageManager')" \
    && $pnpm bundle /service
# Node, the libraries that it is linked to, its user, and name resolution by /etc/hosts before DNS.
RUN node="$(command -v node)" \
    && install -D "$(readlink -f "$node")" /runtime/usr/local/bin/node \
    && ldd "$node" | grep -o '/[^ ]*' | xargs cp --parents --dereference --target-directory=/runtime \
    && mkdir /runtime/etc \
    && echo 'node:x:1000:1000::/:/nonexistent' > /runtime/etc/passwd \
    && echo 'hosts: files dns' > /runtime/etc/nsswitch.conf

# No shell, no package manager, nothing but Node and the service.
FROM scratch
COPY --from=build /runtime /
LABEL org.opencontainers.image.title="booking-service" \
      org.opencontainers.image.description="The Booking Service (Preview)" \
      org.opencontainers.image.licenses="MIT"
# Node looks up names on at most half of these threads. Each of up to 16 endpoints of events can hold one while its name
# server is silent; four are left for other names.
ENV NODE_ENV=production HOST=:: PORT=3000 PATH=/usr/local/bin UV_THREADPOOL_SIZE=40
WORKDIR /service
# Owned by root: the service can read its files but not change them.
COPY --from=build /service .
# The user `node`, as a number: Kubernetes cannot know whether a name is root.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# Live, not ready: a failing check restarts the service, which does not help while its database is unavailable.
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The figures of docs/reliability.md are of these limits.
CMD ["node", "--max-old-space-size=256", "--max-semi-space-size=16", "dist/main.js"]
