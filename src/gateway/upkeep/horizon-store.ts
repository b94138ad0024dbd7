import { sql } from 'drizzle-orm';
import { build, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import { horizon } from '../database/schema.ts';

/** Advances the time of a horizon. It never moves back. */
export const moveHorizon = prepareWrite<typeof horizon.$inferSelect>(
  build
    .insert(horizon)
    .values(rowParameters(horizon))
    .onConflictDoUpdate({ target: horizon.name, set: { at: sql`max(${horizon.at}, excluded.at)` } }),
);
