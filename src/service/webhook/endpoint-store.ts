import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { build, prepareWrite } from '../../db/statement.ts';
import type { Store, Write } from '../../db/store.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { insertRow } from '../row-store.ts';
import type { Livemode } from '../schema.ts';
import { endpoint, signingSecret } from '../schema.ts';

/** Where events of one mode go: URL and secrets are a platform's. */
export type Place = { platformId: string; livemode: Livemode };

type SigningSecret = typeof signingSecret.$inferSelect;

export type EndpointStore = ReturnType<typeof endpointStore>;

export function endpointStore({ read }: Store) {
  const { placeholder } = sql;

  const url = read
    .select({ url: endpoint.url })
    .from(endpoint)
    .where(
      and(eq(endpoint.platformId, placeholder('platformId')), eq(endpoint.livemode, placeholder('livemode'))),
    )
    .prepare();
  const ofPlace = and(
    eq(signingSecret.platformId, placeholder('platformId')),
    eq(signingSecret.livemode, placeholder('livemode')),
  );
  const signing = read
    .select({ secret: signingSecret.secret })
    .from(signingSecret)
    .where(and(ofPlace, or(isNull(signingSecret.retiresAt), gt(signingSecret.retiresAt, placeholder('now')))))
    .orderBy(desc(signingSecret.createdAt), desc(signingSecret.id))
    .limit(2)
    .prepare();
  const insertSecret = insertRow(signingSecret);
  const dropRetired = prepareWrite<Place>(
    build.delete(signingSecret).where(and(ofPlace, sql`${signingSecret.retiresAt} IS NOT NULL`)),
  );
  const retire = prepareWrite<Place & { retiresAt: EpochMs }>(
    build
      .update(signingSecret)
      .set({ retiresAt: sql`${placeholder('retiresAt')}` })
      .where(ofPlace),
  );

  return {
    url: async (place: Place): Promise<string | undefined> => (await url.get({ ...place }))?.url,
    /** The secrets that sign now, the current one first: two at most. */
    secrets: async (place: Place, now: EpochMs): Promise<string[]> =>
      (await signing.all({ ...place, now })).map((row) => row.secret),
    /** A new URL, or the same one set again, begins with a clean slate. */
    setUrl: (place: Place & { merchantId: string }, address: string, now: EpochMs): Write => ({
      sql: `INSERT INTO endpoint (platform_id, merchant_id, livemode, url, created_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET url = excluded.url, failing_since = NULL, disabled_at = NULL`,
      args: [place.platformId, place.merchantId, place.livemode, address, now],
      rows: 1,
    }),
    /** Puts a secret in the current one's place, which goes on signing beside it until `retiresAt`. */
    replaceSecret: (row: SigningSecret, retiresAt: EpochMs): Write[] => {
      const place = { platformId: row.platformId, livemode: row.livemode };
      return [dropRetired(place), retire({ ...place, retiresAt }), insertSecret(row)];
    },
  };
}
