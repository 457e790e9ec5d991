# One image for API, worker and migrations: the command decides. Node is the image's own, PostgreSQL another container:
# both are optional packages, for `npm start`.
FROM node:26-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY clients ./clients
COPY console ./console
COPY src ./src
RUN npm install --workspace=console --no-save --ignore-scripts --no-audit --no-fund && node src/commands/start/build-console.ts

FROM node:26-slim
WORKDIR /app
ENV NODE_ENV=production
# glibc keeps a pool of memory per thread otherwise, and gives little of it back after peaks.
ENV MALLOC_ARENA_MAX=2
# The file system may be read-only: npm notes there what it ran.
ENV npm_config_cache=/tmp/.npm
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
COPY src ./src
COPY workers ./workers
COPY migrations ./migrations
COPY data ./data
# The guide at /guide.
COPY CHANGELOG.md README.md CONTRIBUTING.md ./
COPY docs ./docs
COPY bench ./bench
COPY console/README.md ./console/
COPY clients/typescript/README.md ./clients/typescript/
COPY clients/python/README.md ./clients/python/
COPY clients/python/examples/README.md ./clients/python/examples/
COPY --from=console /app/console/dist ./console/dist
USER node
EXPOSE 8000
CMD ["node", "src/main.ts"]
