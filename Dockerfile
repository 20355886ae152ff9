# Rivulet on Debian 13, whose glibc is new enough for the binaries of uWebSockets.js as they are.
FROM node:22-trixie-slim AS build
# Versions are those of the image's Debian: a pinned one is gone with the next update of it.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Not `npm ci`: it refuses a lock file without the optional packages of other platforms.
RUN npm install
COPY . .
# uWebSockets.js comes with binaries for every platform and version of Node: 110 MB that this image does not need.
RUN npm run build \
 && npm prune --omit=dev \
 && find node_modules/uWebSockets.js -name 'uws_*' ! -name "uws_linux_$(node -p 'process.arch + "_" + process.versions.modules').node" -delete

FROM node:22-trixie-slim
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends git bubblewrap tini util-linux && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production RIVULET_HOST=0.0.0.0 RIVULET_DATA=/data
WORKDIR /app
COPY --from=build --chown=node:node /app/package.json ./
COPY --from=build --chown=node:node /app/node_modules ./node_modules
COPY --from=build --chown=node:node /app/dist ./dist
# The help is made of the documents.
COPY --from=build --chown=node:node /app/docs ./docs
# The folders that several servers share too: a volume takes its owner from here.
RUN mkdir -p /data/sandbox/workspaces /data/sandbox/output /data/sites /backups && chown -R node:node /data /backups && chmod 700 /data \
 && ln -s /app/dist/server/cli/rivulet.js /usr/local/bin/rivulet
# `node` as a number: Kubernetes cannot tell from a name that it is not root.
USER 1000
VOLUME /data
EXPOSE 7717
HEALTHCHECK --interval=15s --timeout=3s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.RIVULET_PORT || 7717}/api/system/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Commands leave processes to the first one of the container, which Node would never take in.
ENTRYPOINT ["tini", "-s", "--"]
# The heap is as large as the memory of the container allows.
CMD ["sh", "-c", "exec node --enable-source-maps $(node dist/server/heap-flags.js) dist/server/main.js"]
