# Each RUN step is a command that the tests run too (test/package): no engine is needed to know that they work.
FROM node:24.14.0-bookworm@sha256:3a09aa6354567619221ef6c45a5051b671f953f0a1924d1f819ffb236e520e6b AS build
WORKDIR /app
COPY . .
RUN npm ci
RUN npm prune --omit=dev
RUN mkdir empty

FROM node:24.14.0-bookworm-slim@sha256:e8e2e91b1378f83c5b2dd15f0247f34110e2fe895f6ca7719dbb780f929368eb
ENV NODE_ENV=production DIALTILL_HOST=0.0.0.0 DIALTILL_DATA=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/drizzle ./drizzle
COPY --from=build /app/assets ./assets
COPY --from=build /app/fixtures ./fixtures
# An empty folder that belongs to the user: a volume takes its owner from what it covers.
COPY --chown=node:node --from=build /app/empty /data
COPY --chown=node:node --from=build /app/empty /backups
USER node
VOLUME /data
EXPOSE 8080 8090
HEALTHCHECK --interval=15s --timeout=5s --start-period=10s CMD ["node", "dist/cli/health-check.js"]
STOPSIGNAL SIGTERM
# Without a limit, V8 lets the heap grow with the memory of the machine instead of collecting garbage.
CMD ["node", "--max-old-space-size=256", "--max-semi-space-size=16", "dist/cli/main.js", "start"]
