import { defineConfig } from 'drizzle-kit';

// For `npm run migrate:generate` only; the service applies the SQL itself (src/db/migrate.ts).
export default defineConfig({ dialect: 'postgresql', schema: './src/db/schema.ts', out: './migrations' });
