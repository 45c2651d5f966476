# syntax=docker/dockerfile:1
# The Active LTS of Node, on Debian 13. Both stages have the same: the bundle is built by the Node that runs it.
ARG NODE_IMAGE=node:26.13.0-trixie-slim

FROM ${NODE_IMAGE} AS build
# Nothing is told to anyone while this builds, and pnpm installs what the lockfile says or fails.
ENV CI=true DO_NOT_TRACK=1 \
    pnpm_config_store_dir=/pnpm/store pnpm_config_verify_deps_before_run=false
WORKDIR /source
COPY . .
# The version of pnpm stands in package.json alone. Only what the service needs is installed and built.
RUN --mount=type=cache,target=/pnpm/store --mount=type=cache,target=/root/.npm \
    pnpm="npx --yes $(node -p 'require("./package.json").packageManager')" \
    && $pnpm install --frozen-lockfile --filter api... \
    && $pnpm bundle /service

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="booking-service" \
      org.opencontainers.image.description="The Booking Service (Preview)" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /service
# Owned by root: the service can read its own files and not change them.
COPY --from=build /service .
# The user `node`. A number, because Kubernetes cannot tell that a name is not root.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# Live, not ready: who looks at this restarts the service, which is of no use while its database is away.
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
