import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/service/schema.ts',
  out: './drizzle/service',
});
