export default {
  dialect: 'sqlite',
  schema: './src/service/schema.ts',
  out: './drizzle/service',
};
