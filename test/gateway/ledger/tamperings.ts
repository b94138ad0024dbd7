/** A change of rows, and the faults that name them. */
export type Tampering = { what: string; sql: string; named: RegExp[] };

const paid = `(SELECT id FROM collection WHERE payer = '233244000001')`;
const suspended = `(SELECT id FROM collection WHERE payer = '233244000003')`;

const rows: Readonly<Record<string, readonly [sql: string, ...named: RegExp[]]>> = {
  'a changed amount': [
    `UPDATE posting SET amount_minor = 2001 WHERE subject_id = ${paid} AND account = 'merchant:demo-shop'`,
    /^seal \d+: its hash does not match/,
    /^PAID: its paid booking must sum to 0, found 1 pesewas$/,
  ],
  'changed amounts that still sum to zero': [
    `UPDATE posting SET amount_minor = amount_minor * 2 WHERE subject_id = ${paid}`,
    /^seal \d+: its hash does not match/,
  ],
  'a posting moved to another merchant': [
    `UPDATE posting SET account = 'merchant:mine' WHERE account = 'merchant:demo-shop'`,
    /^seal \d+: its hash does not match/,
  ],
  'a removed posting': [
    `DELETE FROM posting WHERE subject_id = ${paid} AND account = 'service_fees'`,
    /^seal \d+: covers \d+ rows, found \d+$/,
    /^PAID: its paid booking must sum to 0, found -20 pesewas/,
  ],
  'a removed booking': [
    `DELETE FROM posting WHERE subject_id = ${paid}`,
    /^seal \d+: covers/,
    /^PAID: is paid, but no booking credits the merchant$/,
  ],
  'an added posting': [
    `INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
          SELECT id, merchant_id, 0, version, 'suspense', 'suspense', 5, 0 FROM collection WHERE id = ${paid}`,
    /^PAID: its suspense booking must sum to 0, found 5/,
    /^PAID: has two closing bookings: paid and suspense$/,
  ],
  'a changed fact': [
    `UPDATE fact SET data = replace(data, '2020', '2021') WHERE kind = 'paid'`,
    /^seal \d+: its hash does not match/,
    /^PAID: amountMinor: expected 2021 by its facts, found 2020$/,
  ],
  'a fact with the same content in another format': [
    `UPDATE fact SET at = at + 1 WHERE kind = 'polled' OR kind = 'event'`,
    /^seal \d+: its hash does not match/,
  ],
  'an unreadable fact': [
    `UPDATE fact SET data = '{' WHERE kind = 'paid'`,
    /^seal \d+: its hash does not match/,
    /^PAID: has a fact that cannot be read/,
  ],
  'a fact of an unknown kind': [
    `UPDATE fact SET kind = 'refunded' WHERE kind = 'paid'`,
    /^seal \d+: its hash does not match/,
    /^PAID: has facts that cannot be replayed/,
  ],
  'a removed fact': [
    `DELETE FROM fact WHERE subject_id = ${suspended} AND kind = 'suspended'`,
    /^seal \d+: covers \d+ rows, found \d+$/,
    /^SUSPENDED: fact \d+ is missing$/,
  ],
  'a removed first fact': [
    `DELETE FROM fact WHERE subject_id = ${suspended} AND version = 1`,
    /^seal \d+: covers/,
    /^SUSPENDED: has no first fact$/,
  ],
  'a changed status': [
    `UPDATE collection SET status = 'failed' WHERE id = ${paid}`,
    /^PAID: status: expected paid by its facts, found failed$/,
    /^PAID: is failed, but its booking to the merchant is not reversed$/,
  ],
  'a changed payer': [
    `UPDATE collection SET payer = '233200000000', requested_by = 'other' WHERE id = ${paid}`,
    /^PAID: payer: expected 233244000001 by its facts, found 233200000000$/,
    /^PAID: requestedBy: expected payer by its facts, found other$/,
  ],
  'a total that was never shown': [
    `UPDATE collection SET shown_total_minor = 2020 WHERE id = ${paid}`,
    /^PAID: shownTotalMinor: expected nothing by its facts, found 2020$/,
  ],
  'a collection marked as a retry of another': [
    `UPDATE collection SET retry_of = ${suspended} WHERE id = ${paid}`,
    /^PAID: retryOf: expected nothing by its facts, found col_\w+$/,
  ],
  'a changed short reference': [
    `UPDATE collection SET short_reference = '12345678' WHERE id = ${paid}`,
    /^PAID: shortReference: expected \d{8} by its facts, found 12345678$/,
  ],
  'a removed review': [
    `UPDATE collection SET review = NULL WHERE id = ${suspended}`,
    /^SUSPENDED: review: expected amount_mismatch by its facts, found nothing$/,
  ],
  'a removed collection': [
    `DELETE FROM collection WHERE id = ${paid}`,
    /^PAID: has facts or postings, but its row is missing$/,
  ],
  'a removed seal': [
    'DELETE FROM seal WHERE number = 2',
    /^seal 3: follows seal 1: the blocks between them are missing$/,
    /^seal 3: does not continue the chain$/,
  ],
  'a removed first seal': [
    'DELETE FROM seal WHERE number = 1',
    /^seal 2: follows seal 0: the blocks between them are missing$/,
  ],
  'a removed seal, with the later ones renumbered': [
    `DELETE FROM seal WHERE number = 2; UPDATE seal SET number = number - 1 WHERE number > 2`,
    /^seal 2: does not continue the chain$/,
  ],
  'a changed seal': [
    `UPDATE seal SET hash = iif(hash LIKE 'a%', 'b', 'a') || substr(hash, 2) WHERE number = 2`,
    /^seal 2: its hash does not match/,
    /^seal 3: does not continue the chain$/,
  ],
};

export const tamperings: readonly Tampering[] = Object.entries(rows).map(([what, [sql, ...named]]) => ({
  ...{ what, sql, named },
}));
