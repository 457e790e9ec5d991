# One image for API, worker and migrations: the command decides.
FROM node:26-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --omit=dev --no-audit --no-fund
COPY src ./src
COPY workers ./workers
COPY migrations ./migrations
COPY data ./data
USER node
EXPOSE 8000
CMD ["node", "src/main.ts"]
