export default {
  dialect: 'sqlite',
  schema: './src/gateway/database/schema.ts',
  out: './drizzle/gateway',
};
