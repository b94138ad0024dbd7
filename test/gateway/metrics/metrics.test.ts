import { describe, expect, test } from 'vitest';
import { createMetrics, type GatewayState, type Metrics } from '../../../src/gateway/metrics/metrics.ts';
import { countOf, type Family, readMetrics } from './read-metrics.ts';

const read = async (metrics: Metrics) => readMetrics(await metrics.text());

/** Returns the counters of dialtill that are not zero, in the order of the exposition. */
function counted(families: ReadonlyMap<string, Family>): string[] {
  return [...families.values()].flatMap(({ name, type, samples }) =>
    name.startsWith('dialtill_') && type === 'counter'
      ? samples.flatMap(({ labels, value }) =>
          value === 0 ? [] : `${name} ${Object.values(labels).join(' ')} ${value}`,
        )
      : [],
  );
}

describe('each method counts', () => {
  test.each<[title: string, record: (metrics: Metrics) => void, counts: string[]]>([
    ['a turn', (to) => to.turn('till', 'continue', 20), ['dialtill_turns_total till continue 1']],
    [
      'turns by channel and reply',
      (to) => {
        to.turn('till', 'end', 1);
        to.turn('till', 'end', 1);
        to.turn('other', 'end', 1);
      },
      ['dialtill_turns_total till end 2', 'dialtill_turns_total other end 1'],
    ],
    ['a collection', (to) => to.opened('shop'), ['dialtill_collections_opened_total shop 1']],
    [
      'a rejection',
      (to) => to.rejected('shop', 'payer_cool_down'),
      ['dialtill_rejections_total shop payer_cool_down 1'],
    ],
    ['a redial', (to) => to.redialled('shop', 'payment'), ['dialtill_redials_total shop payment 1']],
    ['a lookup', (to) => to.lookedUp('shop', 'timeout', 1500), ['dialtill_lookups_total shop timeout 1']],
    ['a quote', (to) => to.quoted('shop', 'quoted', 300), ['dialtill_quotes_total shop quoted 1']],
    [
      'a status request',
      (to) => to.statusAsked('shop', 'not_found'),
      ['dialtill_status_requests_total shop not_found 1'],
    ],
    ['a call', (to) => to.called('shop', 'initiate', 'ok', 20), ['dialtill_calls_total shop initiate ok 1']],
    [
      'a result',
      (to) => to.closed('shop', 'paid', 'none', 20),
      ['dialtill_collections_closed_total shop paid none 1'],
    ],
    ['a webhook', (to) => to.received('shop', 'duplicate'), ['dialtill_webhooks_total shop duplicate 1']],
    [
      'a webhook to a merchant of no configuration',
      (to) => to.received(undefined, 'forged'),
      ['dialtill_webhooks_total none forged 1'],
    ],
    ['a rejected key', (to) => to.keyRejected('shop'), ['dialtill_key_rejections_total shop 1']],
  ])('%s', async (_, record, counts) => {
    const metrics = createMetrics();
    record(metrics);
    expect(counted(await read(metrics))).toEqual(counts);
  });

  test.each<[name: string, record: (metrics: Metrics, ms: number) => void]>([
    ['dialtill_turn_seconds', (to, ms) => to.turn('till', 'end', ms)],
    ['dialtill_lookup_seconds', (to, ms) => to.lookedUp('shop', 'found', ms)],
    ['dialtill_quote_seconds', (to, ms) => to.quoted('shop', 'quoted', ms)],
    ['dialtill_time_to_result_seconds', (to, ms) => to.closed('shop', 'paid', 'none', ms)],
    ['dialtill_commit_seconds', (to, ms) => to.committed(ms)],
  ])('%s converts milliseconds to seconds, without labels', async (name, record) => {
    const metrics = createMetrics();
    for (const ms of [10, 500, 60_000]) record(metrics, ms);
    const found = await read(metrics);
    expect(countOf(found, `${name}_count`)).toBe(3);
    expect(countOf(found, `${name}_sum`)).toBeCloseTo(60.51);
    const buckets = found.get(name)?.samples.filter((one) => one.name.endsWith('_bucket')) ?? [];
    const ofShort = buckets.filter(({ labels }) => Number(labels.le) >= 0.5 && Number(labels.le) < 60);
    expect(new Set(ofShort.map(({ value }) => value))).toEqual(new Set([2]));
    expect(
      found.get(name)?.samples.filter(({ labels }) => 'merchant' in labels || 'channel' in labels),
    ).toEqual([]);
  });
});

test('series of configured channels and merchants start at zero', async () => {
  const found = await read(createMetrics({ channels: ['till'], merchants: ['shop'] }));
  expect(found.get('dialtill_turns_total')?.samples).toEqual([
    { name: 'dialtill_turns_total', labels: { channel: 'till', reply: 'continue' }, value: 0 },
    { name: 'dialtill_turns_total', labels: { channel: 'till', reply: 'end' }, value: 0 },
  ]);
  for (const name of [
    'dialtill_collections_opened_total',
    'dialtill_key_rejections_total',
    'dialtill_unplaced_payments',
    'dialtill_unconfirmed_payments',
    'dialtill_open_collections',
    'dialtill_reviews',
  ]) {
    expect(found.get(name)?.samples).toEqual([{ name, labels: { merchant: 'shop' }, value: 0 }]);
  }
});

test('a gauge has the state at the scrape, and an unknown count has no series', async () => {
  const down = {
    isReady: false,
    isDiskFull: true,
    isRecovering: false,
    unplaced: undefined,
    unplacedMinor: undefined,
    unconfirmed: undefined,
    ...{ open: undefined, oldestOpenSeconds: undefined, reviews: undefined, oldestReviewSeconds: undefined },
    ...{ failingEndpoints: undefined, disabledEndpoints: undefined },
    ...{
      suspenseMinor: undefined,
      unsealedSeconds: undefined,
      lastBackupAgeSeconds: undefined,
      lagSeconds: new Map(),
    },
    unavailable: new Map(),
    rateLimited: new Map(),
    today: undefined,
  };
  const states: GatewayState[] = [
    {
      isReady: true,
      isDiskFull: false,
      isRecovering: true,
      unplaced: new Map([['shop', 3]]),
      unplacedMinor: new Map([['shop', 6_060]]),
      unconfirmed: new Map(),
      ...{ open: new Map([['shop', 2]]), oldestOpenSeconds: new Map([['shop', 61]]) },
      ...{ reviews: new Map([['other', 1]]), oldestReviewSeconds: new Map([['other', 7_200]]) },
      ...{ failingEndpoints: new Map([['shop', 1]]), disabledEndpoints: new Map() },
      ...{
        suspenseMinor: 6_060,
        unsealedSeconds: 2,
        lastBackupAgeSeconds: 900,
        lagSeconds: new Map([['inbox', 3]]),
      },
      unavailable: new Map([['shop', 1]]),
      rateLimited: new Map([['other', 1]]),
      today: {
        payments: [
          {
            ...{ merchant: 'gone', channel: 'till', network: 'mtn', outcome: 'paid' },
            ...{ payments: 1, chargedMinor: 2_020 },
          },
        ],
        dialogues: [],
      },
    },
    down,
    { ...down, unplaced: new Map([['gone', 1]]) },
  ];
  const metrics = createMetrics(
    { channels: [], merchants: ['shop', 'other'] },
    async () => states.shift() ?? down,
  );
  const scrape = async () => {
    const found = await read(metrics);
    const gauge = (name: string) => countOf(found, `dialtill_${name}`);
    expect(found.get('dialtill_today_payments')?.samples).toEqual([]);
    const unplaced = found.get('dialtill_unplaced_payments')?.samples ?? [];
    return [
      [gauge('ready'), gauge('disk_full'), gauge('recovering')],
      unplaced.map(({ labels, value }) => `${labels.merchant} ${value}`),
    ];
  };
  const first = await scrape();
  expect(first).toEqual([
    [1, 0, 1],
    ['shop 3', 'other 0'],
  ]);
  expect(await scrape()).toEqual([[0, 1, 0], []]);
  // A merchant that the configuration has no more adds no series.
  expect(await scrape()).toEqual([
    [0, 1, 0],
    ['shop 0', 'other 0'],
  ]);
});

test('two gateways of one process count separately, and both have the metrics of the process', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.opened('shop');
  const found = [await read(one), await read(other), await read(one)];
  const name = 'dialtill_collections_opened_total';
  expect(found.map((families) => countOf(families, name, { merchant: 'shop' }))).toEqual([1, 0, 1]);
  for (const families of found) {
    expect(countOf(families, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(families.get('nodejs_eventloop_lag_p99_seconds')?.type).toBe('gauge');
  }
});

test('each dialtill family has its unit in the name, and labels from a fixed list', async () => {
  const metrics = createMetrics({ channels: ['till'], merchants: ['shop'] });
  metrics.turn('till', 'end', 1);
  metrics.networkUnlisted('till');
  metrics.opened('shop');
  metrics.rejected('shop', 'open');
  metrics.redialled('shop', 'duplicate');
  metrics.lookedUp('shop', 'found', 1);
  metrics.quoted('shop', 'quoted', 1);
  metrics.statusAsked('shop', 'paid');
  metrics.keyRejected('shop');
  metrics.called('shop', 'create', 'ok', 20);
  metrics.closed('shop', 'failed', 'payer', 20_000);
  metrics.received('shop', 'stored');
  const own = [...(await read(metrics)).values()].filter(({ name }) => name.startsWith('dialtill_'));
  const labels = new Set(own.flatMap(({ samples }) => samples.flatMap((one) => Object.keys(one.labels))));
  expect([...labels].sort()).toEqual([
    'call',
    'channel',
    'le',
    'merchant',
    'outcome',
    'queue',
    'reason',
    'reply',
    'shown',
    'state',
    'status',
  ]);
  expect(own.map(({ name, type }) => `${type} ${name}`)).toEqual([
    'counter dialtill_turns_total',
    'counter dialtill_unlisted_networks_total',
    'histogram dialtill_turn_seconds',
    'counter dialtill_collections_opened_total',
    'counter dialtill_rejections_total',
    'counter dialtill_redials_total',
    'counter dialtill_lookups_total',
    'histogram dialtill_lookup_seconds',
    'counter dialtill_quotes_total',
    'histogram dialtill_quote_seconds',
    'counter dialtill_status_requests_total',
    'counter dialtill_key_rejections_total',
    'counter dialtill_calls_total',
    'counter dialtill_collections_closed_total',
    'histogram dialtill_call_seconds',
    'histogram dialtill_time_to_result_seconds',
    'histogram dialtill_commit_seconds',
    'counter dialtill_webhooks_total',
    'counter dialtill_notifications_total',
    'gauge dialtill_build_info',
    'gauge dialtill_ready',
    'gauge dialtill_disk_full',
    'gauge dialtill_recovering',
    'gauge dialtill_unplaced_payments',
    'gauge dialtill_unplaced_pesewas',
    'gauge dialtill_unconfirmed_payments',
    'gauge dialtill_open_collections',
    'gauge dialtill_oldest_open_seconds',
    'gauge dialtill_reviews',
    'gauge dialtill_oldest_review_seconds',
    'gauge dialtill_endpoints_failing',
    'gauge dialtill_endpoints_disabled',
    'gauge dialtill_service_unavailable',
    'gauge dialtill_rate_limited',
    'gauge dialtill_suspense_pesewas',
    'gauge dialtill_unsealed_seconds',
    'gauge dialtill_last_backup_age_seconds',
    'gauge dialtill_today_payments',
    'gauge dialtill_today_charged_pesewas',
    'gauge dialtill_today_dialogues',
    'gauge dialtill_queue_lag_seconds',
  ]);
});
