import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { build, prepareWrite } from '../../db/statement.ts';
import type { Store, Write } from '../../db/store.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { insertRow } from '../row-store.ts';
import { endpoint, signingSecret } from '../schema.ts';
import type { Owner } from '../session/session-store.ts';

type SigningSecret = typeof signingSecret.$inferSelect;

export type EndpointStore = ReturnType<typeof endpointStore>;

export function endpointStore({ read }: Store) {
  const { placeholder } = sql;

  const url = read
    .select({ url: endpoint.url })
    .from(endpoint)
    .where(
      and(eq(endpoint.merchantId, placeholder('merchantId')), eq(endpoint.livemode, placeholder('livemode'))),
    )
    .prepare();
  const ofOwner = and(
    eq(signingSecret.merchantId, placeholder('merchantId')),
    eq(signingSecret.livemode, placeholder('livemode')),
  );
  const signing = read
    .select({ secret: signingSecret.secret })
    .from(signingSecret)
    .where(and(ofOwner, or(isNull(signingSecret.retiresAt), gt(signingSecret.retiresAt, placeholder('now')))))
    .orderBy(desc(signingSecret.createdAt), desc(signingSecret.id))
    .limit(2)
    .prepare();
  const insertSecret = insertRow(signingSecret);
  const dropRetired = prepareWrite<Owner>(
    build.delete(signingSecret).where(and(ofOwner, sql`${signingSecret.retiresAt} IS NOT NULL`)),
  );
  const retire = prepareWrite<Owner & { retiresAt: EpochMs }>(
    build
      .update(signingSecret)
      .set({ retiresAt: sql`${placeholder('retiresAt')}` })
      .where(ofOwner),
  );

  return {
    url: async (owner: Owner): Promise<string | undefined> => (await url.get({ ...owner }))?.url,
    /** The secrets that sign now, the current one first: two at most. */
    secrets: async (owner: Owner, now: EpochMs): Promise<string[]> =>
      (await signing.all({ ...owner, now })).map((row) => row.secret),
    setUrl: (owner: Owner, address: string, now: EpochMs): Write => ({
      sql: `INSERT INTO endpoint (merchant_id, livemode, url, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET url = excluded.url`,
      args: [owner.merchantId, owner.livemode, address, now],
      rows: 1,
    }),
    /** Puts a secret in the current one's place, which goes on signing beside it until `retiresAt`. */
    replaceSecret: (row: SigningSecret, retiresAt: EpochMs): Write[] => {
      const owner = { merchantId: row.merchantId, livemode: row.livemode };
      return [dropRetired(owner), retire({ ...owner, retiresAt }), insertSecret(row)];
    },
  };
}
