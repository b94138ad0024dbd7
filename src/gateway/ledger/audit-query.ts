import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { collection, hasWorkLeft } from '../database/schema.ts';
import type { BlockEnd } from './chain.ts';

/** A number's settings at a merchant. */
export type SettingKey = readonly [merchantId: string, msisdn: string];

/** Upper bound of the rows that one check returns. */
const maxRows = 100;

const limit = sql.raw(`LIMIT ${maxRows}`);

/** The newest change of a row of `dialler_setting`, called `row`. */
const latestChange = sql.raw(`(SELECT max(seq) FROM dialler_setting_change AS one
  WHERE one.merchant_id = row.merchant_id AND one.livemode = row.livemode AND one.msisdn = row.msisdn)`);

/** Tables whose rows are numbered by SQLite, which stores the highest number that it ever gave. */
const numberedTables = ['fact', 'posting', 'turn', 'dialler_setting_change', 'staff_action'] as const;

/** The times of the oldest and of the newest row of a range. */
export type RowTimes = { oldest: EpochMs; newest: EpochMs };

/** Reads what the audit compares, apart from blocks and collections. */
export function auditQuery({ read, engine, ledgerDifferences }: Store) {
  return {
    /** Returns the differences of the ledger's tables, triggers and other objects from those of this program. */
    schemaDifferences: ledgerDifferences,
    /** Returns the times of the rows after a block; undefined without such rows. */
    async unsealedTimes({
      factSeq,
      postingSeq,
      turnSeq,
      settingSeq,
      actionSeq,
    }: BlockEnd): Promise<RowTimes | undefined> {
      const [times] = await read.all<[number | null, number]>(sql`SELECT min(at), max(at) FROM (
        SELECT at FROM fact WHERE seq > ${factSeq} UNION ALL SELECT at FROM posting WHERE seq > ${postingSeq}
        UNION ALL SELECT at FROM turn WHERE seq > ${turnSeq} UNION ALL SELECT at FROM deleted_turn WHERE seq > ${turnSeq}
        UNION ALL SELECT at FROM dialler_setting_change WHERE seq > ${settingSeq}
        UNION ALL SELECT at FROM staff_action WHERE seq > ${actionSeq})`);
      return times?.[0] == null ? undefined : { oldest: times[0], newest: times[1] };
    },
    /** Returns the subjects of facts and postings whose row is missing, which reading by row would miss. */
    async orphans(): Promise<string[]> {
      const rows = await read.all<
        [string]
      >(sql`SELECT subject_id FROM fact UNION SELECT subject_id FROM posting
        EXCEPT SELECT id FROM collection EXCEPT SELECT id FROM unplaced_payment ORDER BY 1 ${limit}`);
      return rows.map(([id]) => id);
    },
    /** Returns the settings that differ from their newest change, or have none. */
    changedSettings: (): Promise<SettingKey[]> =>
      read.all(sql`SELECT row.merchant_id, row.msisdn FROM dialler_setting AS row
        LEFT JOIN dialler_setting_change AS change ON change.seq = ${latestChange}
        WHERE change.seq IS NULL OR change.language IS DISTINCT FROM row.language
          OR change.opted_out_at IS DISTINCT FROM row.opted_out_at
            OR change.at IS DISTINCT FROM row.updated_at ${limit}`),
    /** Returns the settings whose row is missing although a change is recorded. */
    missingSettings: (): Promise<SettingKey[]> =>
      read.all(sql`SELECT DISTINCT change.merchant_id, change.msisdn FROM dialler_setting_change AS change
        WHERE NOT EXISTS (SELECT 1 FROM dialler_setting AS row WHERE row.merchant_id = change.merchant_id
          AND row.livemode = change.livemode AND row.msisdn = change.msisdn) ${limit}`),
    /** Returns the collections whose decision of people is not in the actions, or whose approval has no decision. */
    async undocumentedDecisions(): Promise<string[]> {
      const rows = await read.all<[string]>(sql`SELECT subject_id FROM (
        SELECT subject_id, json_extract(data, '$.by'), json_extract(data, '$.approvedBy'),
          json_extract(data, '$.outcome'), json_extract(data, '$.versionSeen') FROM fact
          WHERE kind = 'decided' AND json_extract(data, '$.source') = 'staff'
        EXCEPT SELECT subject_id, json_extract(detail, '$.proposedBy'), actor,
          json_extract(detail, '$.outcome'), json_extract(detail, '$.versionSeen') FROM staff_action
          WHERE action = 'approve' AND result = 'done' AND subject_kind = 'collection') ${limit}`);
      return rows.map(([id]) => id);
    },
    /**
     * Returns the unplaced payments whose decision of people is not in the actions, whose approval has no decision, or whose
     * match differs from the one that the collection records.
     */
    async undocumentedPlacements(): Promise<string[]> {
      const outcome = sql.raw(
        `CASE kind WHEN 'placed' THEN 'match' WHEN 'returned' THEN 'return' ELSE 'foreign' END`,
      );
      const rows = await read.all<[string]>(sql`SELECT subject_id FROM (
        SELECT subject_id, json_extract(data, '$.by'), json_extract(data, '$.approvedBy'), ${outcome},
          json_extract(data, '$.versionSeen'), json_extract(data, '$.collectionId') FROM fact
          WHERE kind IN ('returned', 'declared_foreign')
            OR (kind = 'placed' AND json_extract(data, '$.by') IS NOT NULL)
        EXCEPT SELECT subject_id, json_extract(detail, '$.proposedBy'), actor, json_extract(detail, '$.outcome'),
          json_extract(detail, '$.versionSeen'), json_extract(detail, '$.target') FROM staff_action
          WHERE action = 'approve' AND result = 'done' AND subject_kind = 'unplaced')
        UNION SELECT id FROM unplaced_payment AS row WHERE state = 'placed' AND NOT EXISTS (
          SELECT 1 FROM collection WHERE collection.id = row.collection_id
            AND (collection.unplaced_id = row.id OR (collection.session_id = row.session_id
              AND collection.livemode = row.livemode)))
        UNION SELECT unplaced_id FROM collection AS row WHERE unplaced_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM unplaced_payment AS one WHERE one.id = row.unplaced_id AND one.collection_id = row.id)
        UNION SELECT row.unplaced_id FROM collection AS row
          JOIN posting AS taken ON taken.subject_id = row.unplaced_id AND taken.booking = 'placement'
          JOIN posting AS given ON given.subject_id = row.id AND given.booking = 'paid'
          WHERE row.unplaced_id IS NOT NULL AND taken.account = 'payers' AND given.account = 'payers'
            AND taken.amount_minor <> -given.amount_minor
        ORDER BY 1 ${limit}`);
      return rows.map(([id]) => id);
    },
    /** Returns the proposals that differ from the actions of their people. */
    async changedProposals(): Promise<string[]> {
      const rows = await read.all<[string]>(sql`SELECT id FROM proposal
        WHERE NOT EXISTS (SELECT 1 FROM staff_action AS made WHERE made.subject_id = proposal.subject_id
            AND made.action = 'propose' AND made.actor = proposal.proposed_by AND made.at = proposal.proposed_at
            AND json_extract(made.detail, '$.proposal') = proposal.id
            AND json_extract(made.detail, '$.outcome') = proposal.outcome
            AND json_extract(made.detail, '$.evidence') = proposal.evidence
            AND json_extract(made.detail, '$.reference') IS NOT DISTINCT FROM proposal.reference
            AND CAST(json_extract(made.detail, '$.versionSeen') AS TEXT) = CAST(proposal.version_seen AS TEXT)
            AND json_extract(made.detail, '$.target') IS NOT DISTINCT FROM proposal.target_id
            AND CAST(json_extract(made.detail, '$.targetVersion') AS TEXT) IS NOT DISTINCT FROM CAST(proposal.target_version AS TEXT))
          OR (state IN ('approved', 'withdrawn', 'refused')) <> EXISTS (SELECT 1 FROM staff_action AS ended
            WHERE ended.subject_id = proposal.subject_id AND ended.result = 'done'
            AND ended.actor = proposal.decided_by AND ended.at = proposal.decided_at
            AND ended.action = CASE state WHEN 'approved' THEN 'approve' WHEN 'withdrawn' THEN 'withdraw' ELSE 'refuse' END
            AND json_extract(ended.detail, '$.proposal') = proposal.id) ORDER BY id ${limit}`);
      return rows.map(([id]) => id);
    },
    /** Returns the turns whose deletion retention cannot explain: they are not older than both times. */
    async youngDeletedTurns(before: number): Promise<number[]> {
      const horizon = sql.raw(`coalesce((SELECT at FROM horizon WHERE name = 'dialogues'), 0)`);
      const rows = await read.all<[number]>(
        sql`SELECT seq FROM deleted_turn WHERE at >= min(${horizon}, ${before}) ORDER BY seq ${limit}`,
      );
      return rows.map(([seq]) => seq);
    },
    /** Returns the collections whose answers retention cannot have deleted: they are not older than both times. */
    async missingAnswers(before: number): Promise<string[]> {
      const horizon = sql.raw(`coalesce((SELECT at FROM horizon WHERE name = 'dialogues'), 0)`);
      const rows = await read.all<[string]>(sql`SELECT row.id FROM collection AS row
        JOIN fact AS first ON first.subject_id = row.id AND first.version = 1
        WHERE row.answers IS NULL AND row.opened_at >= min(${horizon}, ${before})
          AND first.data LIKE '%"answersDigest":%' ORDER BY 1 ${limit}`);
      return rows.map(([id]) => id);
    },
    /** Returns the collections that have work left and no job, or a job and no work left. */
    async wrongJobs(): Promise<string[]> {
      const rows = await read.all<[string]>(sql`SELECT ${collection.id} FROM ${collection}
        LEFT JOIN job ON job.collection_id = ${collection.id} WHERE ${hasWorkLeft} <> (job.collection_id IS NOT NULL)
        UNION SELECT collection_id FROM job WHERE NOT EXISTS (SELECT 1 FROM collection AS one WHERE one.id = collection_id)
        ORDER BY 1 ${limit}`);
      return rows.map(([id]) => id);
    },
    /**
     * Returns the tables whose newest rows are missing, with the number of missing sequence numbers. A server also uses up the
     * numbers of batches that were rolled back, so that only the blocks show whether its rows are missing.
     */
    async cutTables(): Promise<{ table: string; missing: number }[]> {
      if (engine !== 'sqlite') return [];
      const counts = numberedTables.map((table) => {
        const kept = table === 'turn' ? `, (SELECT coalesce(max(seq), 0) FROM deleted_turn)` : ', 0';
        return `SELECT '${table}', coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)
          - max((SELECT coalesce(max(seq), 0) FROM ${table})${kept})`;
      });
      const rows = await read.all<[string, number]>(sql.raw(counts.join(' UNION ALL ')));
      return rows.flatMap(([table, missing]) => (missing === 0 ? [] : [{ table, missing }]));
    },
  };
}
