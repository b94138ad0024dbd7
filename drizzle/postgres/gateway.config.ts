import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './drizzle/postgres/gateway-tables.ts',
  out: './drizzle/postgres/gateway',
});
