/** A change of rows, and the faults that name them. */
export type Tampering = { what: string; sql: string; named: RegExp[] };

const paid = `(SELECT id FROM collection WHERE payer = '233244000001')`;
const suspended = `(SELECT id FROM collection WHERE payer = '233244000003')`;

export const tamperings: readonly Tampering[] = [
  {
    what: 'a changed amount',
    sql: `UPDATE posting SET amount_minor = 2001 WHERE subject_id = ${paid} AND account = 'merchant:demo-shop'`,
    named: [/^seal \d+: its hash does not match/, /^PAID: its paid booking must sum to 0, found 1 pesewas$/],
  },
  {
    what: 'changed amounts that still sum to zero',
    sql: `UPDATE posting SET amount_minor = amount_minor * 2 WHERE subject_id = ${paid}`,
    named: [/^seal \d+: its hash does not match/],
  },
  {
    what: 'a posting moved to another merchant',
    sql: `UPDATE posting SET account = 'merchant:mine' WHERE account = 'merchant:demo-shop'`,
    named: [/^seal \d+: its hash does not match/],
  },
  {
    what: 'a removed posting',
    sql: `DELETE FROM posting WHERE subject_id = ${paid} AND account = 'service_fees'`,
    named: [
      /^seal \d+: covers \d+ rows, found \d+$/,
      /^PAID: its paid booking must sum to 0, found -20 pesewas/,
    ],
  },
  {
    what: 'a removed booking',
    sql: `DELETE FROM posting WHERE subject_id = ${paid}`,
    named: [/^seal \d+: covers/, /^PAID: is paid, but no booking credits the merchant$/],
  },
  {
    what: 'an added posting',
    sql: `INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
          SELECT id, merchant_id, 0, version, 'suspense', 'suspense', 5, 0 FROM collection WHERE id = ${paid}`,
    named: [
      /^PAID: its suspense booking must sum to 0, found 5/,
      /^PAID: has two closing bookings: paid and suspense$/,
    ],
  },
  {
    what: 'a changed fact',
    sql: `UPDATE fact SET data = replace(data, '2020', '2021') WHERE kind = 'paid'`,
    named: [
      /^seal \d+: its hash does not match/,
      /^PAID: amountMinor: expected 2021 by its facts, found 2020$/,
    ],
  },
  {
    what: 'a fact with the same content in another format',
    sql: `UPDATE fact SET at = at + 1 WHERE kind = 'polled' OR kind = 'event'`,
    named: [/^seal \d+: its hash does not match/],
  },
  {
    what: 'an unreadable fact',
    sql: `UPDATE fact SET data = '{' WHERE kind = 'paid'`,
    named: [/^seal \d+: its hash does not match/, /^PAID: has a fact that cannot be read/],
  },
  {
    what: 'a fact of an unknown kind',
    sql: `UPDATE fact SET kind = 'refunded' WHERE kind = 'paid'`,
    named: [/^seal \d+: its hash does not match/, /^PAID: has facts that cannot be replayed/],
  },
  {
    what: 'a removed fact',
    sql: `DELETE FROM fact WHERE subject_id = ${suspended} AND kind = 'suspended'`,
    named: [/^seal \d+: covers \d+ rows, found \d+$/, /^SUSPENDED: fact \d+ is missing$/],
  },
  {
    what: 'a removed first fact',
    sql: `DELETE FROM fact WHERE subject_id = ${suspended} AND version = 1`,
    named: [/^seal \d+: covers/, /^SUSPENDED: has no first fact$/],
  },
  {
    what: 'a changed status',
    sql: `UPDATE collection SET status = 'failed' WHERE id = ${paid}`,
    named: [
      /^PAID: status: expected paid by its facts, found failed$/,
      /^PAID: is failed, but its booking to the merchant is not reversed$/,
    ],
  },
  {
    what: 'a changed payer',
    sql: `UPDATE collection SET payer = '233200000000', requested_by = 'other' WHERE id = ${paid}`,
    named: [
      /^PAID: payer: expected 233244000001 by its facts, found 233200000000$/,
      /^PAID: requestedBy: expected payer by its facts, found other$/,
    ],
  },
  {
    what: 'a total that was never shown',
    sql: `UPDATE collection SET shown_total_minor = 2020 WHERE id = ${paid}`,
    named: [/^PAID: shownTotalMinor: expected nothing by its facts, found 2020$/],
  },
  {
    what: 'a collection marked as a retry of another',
    sql: `UPDATE collection SET retry_of = ${suspended} WHERE id = ${paid}`,
    named: [/^PAID: retryOf: expected nothing by its facts, found col_\w+$/],
  },
  {
    what: 'a changed short reference',
    sql: `UPDATE collection SET short_reference = '12345678' WHERE id = ${paid}`,
    named: [/^PAID: shortReference: expected \d{8} by its facts, found 12345678$/],
  },
  {
    what: 'a removed review',
    sql: `UPDATE collection SET review = NULL WHERE id = ${suspended}`,
    named: [/^SUSPENDED: review: expected amount_mismatch by its facts, found nothing$/],
  },
  {
    what: 'a removed collection',
    sql: `DELETE FROM collection WHERE id = ${paid}`,
    named: [/^PAID: has facts or postings, but its row is missing$/],
  },
  {
    what: 'a removed seal',
    sql: 'DELETE FROM seal WHERE number = 2',
    named: [
      /^seal 3: follows seal 1: the blocks between them are missing$/,
      /^seal 3: does not continue the chain$/,
    ],
  },
  {
    what: 'a removed first seal',
    sql: 'DELETE FROM seal WHERE number = 1',
    named: [/^seal 2: follows seal 0: the blocks between them are missing$/],
  },
  {
    what: 'a removed seal, with the later ones renumbered',
    sql: `DELETE FROM seal WHERE number = 2; UPDATE seal SET number = number - 1 WHERE number > 2`,
    named: [/^seal 2: does not continue the chain$/],
  },
  {
    what: 'a changed seal',
    sql: `UPDATE seal SET hash = iif(hash LIKE 'a%', 'b', 'a') || substr(hash, 2) WHERE number = 2`,
    named: [/^seal 2: its hash does not match/, /^seal 3: does not continue the chain$/],
  },
];
