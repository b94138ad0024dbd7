import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/gateway/schema.ts',
  out: './drizzle/gateway',
});
