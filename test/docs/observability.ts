import { stringify } from 'yaml';

/*
 * The rules and the dashboard in `observability/`, which are written from here. The tests compare them with the files, with the
 * metrics of the program, and with the runbooks of the document.
 */

/** An alert: what to ask, for how long it must hold, and what it tells a person. */
type Alert = {
  name: string;
  expr: string;
  /** A duration of Prometheus; without one, the alert is sent at once. */
  for?: string;
  severity: 'page' | 'ticket';
  summary: string;
};

export const alerts: readonly Alert[] = [
  {
    ...{ name: 'DialtillDown', severity: 'page', for: '2m' },
    expr: 'absent(dialtill_ready)',
    summary: 'No gateway answers the scrape.',
  },
  {
    ...{ name: 'DialtillNotReady', severity: 'page', for: '1m' },
    expr: 'dialtill_ready == 0',
    summary: 'The gateway does not serve payers.',
  },
  {
    ...{ name: 'DialtillDiskFull', severity: 'page' },
    expr: 'dialtill_disk_full == 1',
    summary: 'The disk is full: no payment can be opened, and no event is acknowledged.',
  },
  {
    ...{ name: 'DialtillServiceUnavailable', severity: 'page', for: '1m' },
    expr: 'dialtill_service_unavailable == 1',
    summary: 'The service does not answer. Payers of {{ $labels.merchant }} cannot pay.',
  },
  {
    ...{ name: 'DialtillKeyRejected', severity: 'page' },
    expr: 'increase(dialtill_key_rejections_total[10m]) > 0',
    summary: 'The service rejects the key of {{ $labels.merchant }}, which cannot receive payments.',
  },
  {
    ...{ name: 'DialtillTurnsSlow', severity: 'page', for: '5m' },
    expr: 'histogram_quantile(0.99, sum by (le) (rate(dialtill_turn_seconds_bucket[5m]))) > 2',
    summary: 'One turn in a hundred takes longer than 2 s; aggregators wait for 4 s.',
  },
  {
    ...{ name: 'DialtillNoCollections', severity: 'page', for: '10m' },
    expr: 'sum(increase(dialtill_turns_total{reply="end"}[30m])) > 50 and sum(increase(dialtill_collections_opened_total[30m])) == 0',
    summary: 'Dialogues end, but no collection was opened for half an hour.',
  },
  {
    ...{ name: 'DialtillNoWebhooks', severity: 'ticket', for: '10m' },
    expr: 'sum by (merchant) (increase(dialtill_collections_closed_total{status="paid"}[1h])) > 5 and on (merchant) sum by (merchant) (increase(dialtill_webhooks_total{outcome=~"stored|duplicate"}[1h])) == 0',
    summary: 'Payments to {{ $labels.merchant }} are found by polls only: no webhook arrives.',
  },
  {
    ...{ name: 'DialtillForgedWebhooks', severity: 'ticket', for: '10m' },
    expr: 'sum by (merchant) (increase(dialtill_webhooks_total{outcome=~"forged|hint"}[10m])) > 5',
    summary: 'Webhooks to {{ $labels.merchant }} have a wrong or an old signature.',
  },
  {
    ...{ name: 'DialtillUnconfirmedPayments', severity: 'page', for: '10m' },
    expr: 'dialtill_unconfirmed_payments > 0',
    summary: 'Payments to {{ $labels.merchant }} are reported, and no poll confirms them.',
  },
  {
    ...{ name: 'DialtillOpenTooLong', severity: 'ticket', for: '10m' },
    expr: 'dialtill_oldest_open_seconds > 86400',
    summary: 'A payment to {{ $labels.merchant }} has had no result for a day.',
  },
  {
    ...{ name: 'DialtillReviewsWait', severity: 'ticket' },
    expr: 'dialtill_oldest_review_seconds > 86400',
    summary: 'Payments to {{ $labels.merchant }} have waited for a decision for a day.',
  },
  {
    ...{ name: 'DialtillUnplacedPayments', severity: 'ticket' },
    expr: 'dialtill_unplaced_payments > 0',
    summary: 'No collection explains payments to {{ $labels.merchant }}.',
  },
  {
    ...{ name: 'DialtillQueueLags', severity: 'page', for: '5m' },
    expr: 'dialtill_queue_lag_seconds > 60',
    summary: 'Jobs of the queue {{ $labels.queue }} are a minute late.',
  },
  {
    ...{ name: 'DialtillSealingLate', severity: 'ticket', for: '1m' },
    expr: 'dialtill_unsealed_seconds > 60',
    summary: 'Rows of the ledger have had no block for a minute: a change of them could not be detected.',
  },
  {
    ...{ name: 'DialtillCommitsSlow', severity: 'ticket', for: '10m' },
    expr: 'histogram_quantile(0.99, sum by (le) (rate(dialtill_commit_seconds_bucket[5m]))) > 0.25',
    summary: 'One commit in a hundred takes longer than 250 ms: every turn waits for one.',
  },
  {
    ...{ name: 'DialtillEndpointDisabled', severity: 'ticket' },
    expr: 'dialtill_endpoints_disabled > 0',
    summary: 'The system of {{ $labels.merchant }} gets no notifications: its endpoint was disabled.',
  },
  {
    ...{ name: 'DialtillEndpointFailing', severity: 'ticket', for: '1h' },
    expr: 'dialtill_endpoints_failing > 0',
    summary: 'The system of {{ $labels.merchant }} accepts no notifications.',
  },
  {
    ...{ name: 'DialtillLookupsFail', severity: 'ticket', for: '10m' },
    expr: 'sum by (merchant) (rate(dialtill_lookups_total{outcome!~"found|not_found"}[10m])) / sum by (merchant) (rate(dialtill_lookups_total[10m])) > 0.2',
    summary: 'A fifth of the lookups of {{ $labels.merchant }} have no usable answer.',
  },
  {
    ...{ name: 'DialtillBackupOld', severity: 'page', for: '10m' },
    expr: 'dialtill_last_backup_age_seconds > 3600',
    summary: 'The last verified backup of the ledger is more than an hour old, or there is none.',
  },
];

export const alertsFile = 'observability/alerts.yaml';

/** The anchor of an alert's runbook, as GitHub makes it from a heading. */
const runbookOf = ({ name }: Pick<Alert, 'name'>) => `docs/operations/runbooks.md#${name.toLowerCase()}`;

export function writtenAlerts(): string {
  const rules = alerts.map((alert) => ({
    alert: alert.name,
    expr: alert.expr,
    ...(alert.for && { for: alert.for }),
    labels: { severity: alert.severity },
    annotations: { summary: alert.summary, runbook: runbookOf(alert) },
  }));
  const head =
    '# Written by `npm run docs`. Rules for Prometheus; each runbook is a section of docs/operations/runbooks.md.\n';
  return head + stringify({ groups: [{ name: 'dialtill', rules }] }, { lineWidth: 120 });
}

/** A panel of the dashboard: its title, the unit of Grafana, and the expressions with their legends. */
type Panel = readonly [title: string, unit: string, ...targets: (readonly [expr: string, legend: string])[]];

const quantiles = (name: string, by = 'le'): (readonly [string, string])[] =>
  [0.5, 0.99].map((q) => [
    `histogram_quantile(${q}, sum by (${by}) (rate(${name}_bucket[5m])))`,
    `p${100 * q}${by === 'le' ? '' : ` {{${by.split(', ').find((one) => one !== 'le')}}}`}`,
  ]);

const panels: readonly Panel[] = [
  ['Ready', 'none', ['min(dialtill_ready)', 'ready']],
  [
    'Payments paid',
    'none',
    ['sum by (merchant) (increase(dialtill_collections_closed_total{status="paid"}[1h]))', '{{merchant}}'],
  ],
  ['Turns', 'reqps', ['sum by (channel) (rate(dialtill_turns_total[5m]))', '{{channel}}']],
  ['Time of a turn', 's', ...quantiles('dialtill_turn_seconds')],
  [
    'Results',
    'none',
    ['sum by (status, reason) (increase(dialtill_collections_closed_total[1h]))', '{{status}} {{reason}}'],
  ],
  ['Time to a result', 's', ...quantiles('dialtill_time_to_result_seconds')],
  [
    'Calls to the service',
    'reqps',
    ['sum by (call, outcome) (rate(dialtill_calls_total[5m]))', '{{call}} {{outcome}}'],
  ],
  ['Time of a call', 's', ...quantiles('dialtill_call_seconds', 'le, call')],
  ['Webhooks', 'reqps', ['sum by (outcome) (rate(dialtill_webhooks_total[5m]))', '{{outcome}}']],
  [
    'Notifications',
    'reqps',
    ['sum by (merchant, outcome) (rate(dialtill_notifications_total[5m]))', '{{merchant}} {{outcome}}'],
  ],
  [
    'Lookups',
    'reqps',
    ['sum by (merchant, outcome) (rate(dialtill_lookups_total[5m]))', '{{merchant}} {{outcome}}'],
  ],
  ['Without a result', 'none', ['dialtill_open_collections', '{{merchant}}']],
  ['Oldest without a result', 's', ['dialtill_oldest_open_seconds', '{{merchant}}']],
  [
    'Waits for a person',
    'none',
    ['dialtill_reviews', 'reviews {{merchant}}'],
    ['dialtill_unplaced_payments', 'unplaced {{merchant}}'],
  ],
  ['Suspended, pesewas', 'none', ['dialtill_suspense_pesewas', 'suspense']],
  ['Age of the last backup', 's', ['dialtill_last_backup_age_seconds', 'age']],
  ['Lag of the queues', 's', ['dialtill_queue_lag_seconds', '{{queue}}']],
  ['Age of the oldest row without a block', 's', ['dialtill_unsealed_seconds', 'age']],
  ['Commits', 's', ...quantiles('dialtill_commit_seconds')],
  [
    'Rejected confirmations',
    'none',
    ['sum by (reason) (increase(dialtill_rejections_total[1h]))', '{{reason}}'],
  ],
  ['Processor', 'percentunit', ['rate(process_cpu_seconds_total[5m])', 'processor']],
  ['Memory', 'bytes', ['process_resident_memory_bytes', 'resident']],
  ['Event loop', 's', ['nodejs_eventloop_lag_p99_seconds', 'p99']],
  [
    'Payments of today',
    'none',
    ['sum by (outcome) (max without (instance) (dialtill_today_payments))', '{{outcome}}'],
  ],
  [
    'Dialogues of today',
    'none',
    ['sum by (result) (max without (instance) (dialtill_today_dialogues))', '{{result}}'],
  ],
];

export const dashboardFile = 'observability/grafana.json';

export function writtenDashboard(): string {
  const source = { type: 'prometheus', uid: '$source' };
  const dashboard = {
    title: 'dialtill',
    uid: 'dialtill',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'source', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels: panels.map(([title, unit, ...targets], i) => ({
      ...{ id: i + 1, type: 'timeseries', title, datasource: source },
      gridPos: { x: 12 * (i % 2), y: 8 * Math.floor(i / 2), w: 12, h: 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: targets.map(([expr, legendFormat], at) => ({
        ...{ refId: String.fromCharCode(65 + at), expr, legendFormat, datasource: source },
      })),
    })),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
