# One image for the gateway, the jobs and their commands. It contains only the base image's Node, no npm packages and no
# sources. It writes nothing to its own file system: run it with --read-only, and the jobs with a tmpfs at /tmp.
FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts ./scripts
COPY packages/client/package.json ./packages/client/
RUN npm ci
COPY . .
RUN npm run build

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
# ffmpeg decodes audio, under the limits of prlimit (util-linux).
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates ffmpeg util-linux \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /opt/yarn*
COPY --from=build /src/dist/node /app
USER 10001:10001
WORKDIR /app
ENV HOST=0.0.0.0 PORT=8787
EXPOSE 8787 8788
# The job worker has no port for clients: give it --health-cmd, or none.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# docs/deployment.md says what the option is for.
CMD ["node", "--max-semi-space-size=64", "/app/server.mjs"]
