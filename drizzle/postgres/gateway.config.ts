export default {
  dialect: 'postgresql',
  schema: './drizzle/postgres/gateway-tables.ts',
  out: './drizzle/postgres/gateway',
};
