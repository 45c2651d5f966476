# The service alone: built with everything, run with what it needs.
FROM node:24-slim AS build
WORKDIR /source
COPY . .
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile \
  && npx --yes pnpm@12.21.0 --filter api... build \
  && npx --yes pnpm@12.21.0 --filter api --prod --legacy deploy /service

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /service
COPY --from=build /service .
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
