export default {
  dialect: 'sqlite',
  schema: './src/gateway/schema.ts',
  out: './drizzle/gateway',
};
