import { Option } from 'commander';
import type { z } from 'zod';
import type {
  adminSession,
  delivery,
  deliveryLog,
  sessionPrompt,
  testClock,
} from '../../contract/service/admin.ts';
import { serviceOperations as operations } from '../../contract/service/service-operations.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { formatCedis } from '../../shared/money.ts';
import { formatDuration } from '../../shared/time-text.ts';
import { type Paint, table } from '../terminal/output.ts';
import { durationUpTo, oneOf, parseMsisdnArgument } from './arguments.ts';
import {
  formatFields,
  formatIsoTime,
  type MerchantOptions,
  merchantOption,
  nextPageHint,
  readMerchantId,
} from './command-kit.ts';
import { type AddCommand, type Columns, formatRows, operationCommand } from './operation-command.ts';

type Session = Tolerant<z.infer<typeof adminSession>>;
type Refund = NonNullable<NonNullable<Session['review']>['refund']>;
type Prompt = Tolerant<z.infer<typeof sessionPrompt>>;
type Delivery = Tolerant<z.infer<typeof delivery>>;
type DeliveryLog = Tolerant<z.infer<typeof deliveryLog>>;

const deliveryColumns: Columns<Delivery> = {
  event: 'event_id',
  type: 'type',
  session: 'session_id',
  state: 'state',
  'created (UTC)': 'created_at',
  attempts: 'attempts',
  'last response': ({ last_status, last_error }) => String(last_status ?? last_error ?? '-'),
  'next attempt (UTC)': 'next_attempt_at',
};

const promptColumns: Columns<Prompt> = {
  prompt: 'id',
  status: 'status',
  amount: ({ amount_minor }) => formatCedis(amount_minor),
  charged: ({ charged_minor }) => formatCedis(charged_minor),
  'sent (UTC)': 'created_at',
  'closed (UTC)': 'closed_at',
};

const decisions = `
Decisions:
  accept  the session becomes paid, with the amount that was charged
  reject  the session becomes failed; return the money outside the service

The status of a session that was closed before the money arrived does not change: only the decision is recorded.`;

export const sessionCommands: readonly AddCommand[] = [
  operationCommand(operations.findSessions, {
    usage: 'sessions list',
    summary: 'find sessions, newest first',
    example: 'list --msisdn 0244123456 --status failed',
    options: {
      merchant: ['--merchant <id>', 'sessions of this merchant'],
      live: new Option('--live', 'only live sessions').conflicts('test'),
      test: ['--test', 'only test sessions'],
      status: ['--status <status>', 'sessions in this status'],
      reference: ['--reference <text>', 'sessions with this reference or client_trans_id of the merchant'],
      msisdn: ['--msisdn <number>', 'sessions of this payer', parseMsisdnArgument],
    },
    fields: async ({ merchant, reference, live, test }, client) => ({
      merchant_id: reference === undefined ? merchant : await readMerchantId(client, merchant),
      livemode: live ? 'true' : test ? 'false' : undefined,
    }),
    empty: 'no session found',
    columns: {
      session: 'id',
      mode: ({ livemode, channel }) => `${livemode ? 'live' : 'test'} ${channel}`,
      status: ({ held, status }) => (held ? `${status}, in review` : status),
      amount: ({ amount_minor }) => formatCedis(amount_minor),
      payer: 'payer_msisdn',
      reference: getReference,
      'created (UTC)': 'created_at',
      reason: ({ review, reason }) => review?.reason ?? reason ?? '',
    },
  }),
  operationCommand(operations.findSession, {
    usage: 'sessions show <id>',
    summary: 'show a session with its review, prompts and events',
    example: 'show pay_01k…',
    show: ({ session, prompts, events }, { paint }) =>
      [
        formatFields(sessionFields(session)),
        '\n',
        paint('bold', 'prompts\n'),
        prompts.length === 0 ? 'none\n' : formatRows(paint, promptColumns, prompts),
        '\n',
        paint('bold', 'events\n'),
        events.length === 0 ? 'none\n' : formatRows(paint, deliveryColumns, events),
      ].join(''),
  }),
  operationCommand(operations.resolveReview, {
    usage: 'sessions review <id> <decision>',
    summary: 'decide about money that does not fit its session',
    example: 'review pay_01k… accept --note "merchant accepts the partial payment"',
    args: {
      decision: {
        field: 'resolution',
        description: 'accept or reject',
        parse: (text) => (oneOf(['accept', 'reject'])(text) === 'accept' ? 'accepted' : 'rejected'),
      },
    },
    options: { note: ['--note <text>', 'note for staff; merchants do not see it'] },
    help: decisions,
    show: ({ session_id, resolution }) => `${session_id}: ${resolution}\n`,
  }),
  operationCommand(operations.settleRefund, {
    usage: 'sessions refund <id>',
    summary: 'record that the money of a rejected review was returned to the payer',
    example: 'refund pay_01k… --reference MP26030 --by Ama',
    options: {
      reference: ['--reference <text>', 'reference of the transfer to the payer'],
      by: ['--by <name>', 'who made the transfer'],
    },
    show: ({ session_id, refund }) => `${session_id}${refund ? `: ${refundText(refund)}` : ''}\n`,
  }),
];

function sessionFields(session: Session): [string, string][] {
  return [
    ['session', session.id],
    ['status', session.held ? `${session.status}, in review: a decision is needed` : session.status],
    ['reason', session.reason ?? '-'],
    ['merchant', `${session.merchant_id} (${session.livemode ? 'live' : 'test'}, ${session.channel})`],
    ['platform', session.platform_id],
    ['payer', `${session.payer_msisdn} on ${session.network}`],
    ['reference', getReference(session)],
    ['goods', formatCedis(session.goods_minor)],
    ['fee', formatCedis(session.expected_fee_minor)],
    ['amount', formatCedis(session.amount_minor)],
    ...chargedField(session),
    ['to merchant', formatCedis(session.expected_net_minor)],
    ['created', formatIsoTime(session.created_at)],
    ['initiated', formatIsoTime(session.initiated_at)],
    ['paid', formatIsoTime(session.paid_at)],
    ['closed', formatIsoTime(session.closed_at)],
    ...reviewFields(session),
  ];
}

function reviewFields({ review }: Session): [string, string][] {
  if (!review) return [];
  const { reason, paid_minor, paid_at, resolution, resolved_at, refund, note } = review;
  return [
    ['review', `${reason}: ${formatCedis(paid_minor)} at ${formatIsoTime(paid_at)}`],
    ['decision', resolution ? `${resolution} ${formatIsoTime(resolved_at)}` : 'open'],
    ...(refund === undefined ? [] : ([['refund', refundText(refund)]] as [string, string][])),
    ...(note === undefined ? [] : ([['note', note]] as [string, string][])),
  ];
}

function refundText({ state, amount_minor, reference, settled_at, settled_by }: Refund): string {
  const amount = formatCedis(amount_minor);
  if (state === 'due') return `${amount} due`;
  const by = settled_by === undefined ? '' : ` by ${settled_by}`;
  return `${amount} returned ${formatIsoTime(settled_at)}, ${reference}${by}`;
}

/** The charged amount of a paid session, if it is not the requested one. */
function chargedField({ status, review }: Session): [string, string][] {
  const differs = review?.reason === 'paid_short' || review?.reason === 'paid_over';
  return status === 'paid' && differs ? [['charged', formatCedis(review.paid_minor)]] : [];
}

function getReference(session: Session): string {
  if ('reference' in session) return session.reference;
  return ('client_trans_id' in session ? session.client_trans_id : undefined) ?? '-';
}

const reviews: readonly AddCommand[] = [
  operationCommand(operations.listReviews, {
    usage: 'reviews',
    summary: 'list the open reviews of money that does not fit its session, oldest first',
    example: 'reviews',
    empty: 'no open reviews',
    columns: {
      session: 'session_id',
      merchant: 'merchant_id',
      reason: 'reason',
      charged: ({ paid_minor }) => formatCedis(paid_minor),
      'opened (UTC)': 'opened_at',
    },
    hint: 'decide: dialtill service sessions review <session> accept|reject',
  }),
  operationCommand(operations.listRefundsDue, {
    usage: 'refunds',
    summary:
      'list the refunds that are due: rejected money that was not returned yet, the oldest decision first',
    example: 'refunds',
    empty: 'no refunds are due',
    columns: {
      session: 'session_id',
      merchant: 'merchant_id',
      mode: ({ livemode }) => (livemode ? 'live' : 'test'),
      reason: 'reason',
      due: ({ refund, paid_minor }) => formatCedis(refund?.amount_minor ?? paid_minor),
      'rejected (UTC)': 'resolved_at',
    },
    hint: 'settle: dialtill service sessions refund <session> --reference <transfer> --by <name>',
  }),
];

/** Characters of an answer in the table; `--json` prints all that is stored. */
const maxShownAnswer = 80;

const keyHelp = `
With a merchant's key in DIALTILL_SERVICE_KEY (or DIALTILL_SERVICE_KEY_FILE), the deliveries commands use that merchant's own
API, in the mode of the key. Otherwise they use the admin API.`;

const deliveries: readonly AddCommand[] = [
  operationCommand(operations.listDeliveries, {
    own: operations.listOwnDeliveries,
    usage: 'deliveries list',
    summary: "list a merchant's events, newest first",
    example: 'list --state given_up',
    options: {
      livemode: ['--live', 'events of live sessions (default: of test sessions)'],
      platform_id: ['--platform <id>', 'events of this platform'],
      state: ['--state <state>', 'events in this state'],
    },
    help: keyHelp,
    empty: 'no events',
    columns: deliveryColumns,
  }),
  operationCommand(operations.getDelivery, {
    own: operations.getOwnDelivery,
    usage: 'deliveries show <event>',
    args: { event: { field: 'id' } },
    summary: 'show an event and its delivery attempts',
    example: 'show evt_01k…',
    show: (log, { paint }) => formatLog(paint, log),
  }),
  operationCommand(operations.resendEvent, {
    own: operations.resendOwnEvent,
    usage: 'deliveries resend <event>',
    args: { event: { field: 'id' } },
    summary: 'send an event again, whatever its state',
    example: 'resend evt_01k…',
    show: (log) => `${log.event_id}: ${log.state}, next attempt ${formatIsoTime(log.next_attempt_at)}\n`,
  }),
];

function formatLog(paint: Paint, log: DeliveryLog): string {
  const attempts = log.attempts_log.map((attempt) => [
    String(attempt.number),
    formatIsoTime(attempt.started_at),
    `${attempt.duration_ms} ms`,
    String(attempt.status ?? attempt.error ?? '-'),
    attempt.url,
    (attempt.response_body ?? '-').slice(0, maxShownAnswer),
  ]);
  const fields = formatFields([
    ['event', log.event_id],
    ['type', log.type],
    ['session', log.session_id],
    ['state', log.state],
    ['next attempt', formatIsoTime(log.next_attempt_at)],
    ['body', log.request_body],
  ]);
  const head = ['#', 'started (UTC)', 'duration', 'response', 'url', 'answer'];
  return `${fields}\n${attempts.length === 0 ? 'no attempts\n' : table(paint, [head, ...attempts])}`;
}

/** `dialtill service statement`. The file is printed as the service writes it, for `dialtill statement import`. */
const statement: AddCommand = (service, kit) => {
  kit
    .command(
      service,
      'statement <date>',
      'print what was charged on a day as CSV, to compare the books with',
      'statement 2026-03-06 > statement-2026-03-06.csv',
    )
    .addOption(merchantOption())
    .option('--live', 'charges of live sessions (default: of test sessions)')
    .action(async (date: string, options: MerchantOptions & { live?: true }) => {
      const client = kit.client(options);
      const id = await readMerchantId(client, options.merchant);
      const query = { date, livemode: options.live ? 'true' : 'false' };
      const csv = await client.text(operations.getStatement, { params: { id }, query });
      // A terminal shows no carriage returns.
      kit.print(options, csv.split('\r\n'), (lines) => lines.join('\n'));
    });
};

const testMode: readonly AddCommand[] = [
  operationCommand(operations.listMessages, {
    usage: 'messages <msisdn>',
    summary: 'show the SMS of a simulated phone, including one-time codes, newest first',
    example: 'messages 0244123456',
    args: { msisdn: { description: 'number of the phone, such as 0244123456', parse: parseMsisdnArgument } },
    show: ({ data, next_cursor }, { paint, params }) =>
      data.length === 0
        ? `no messages to 0${params.msisdn?.slice(3)}\n`
        : data
            .map(
              ({ sent_at, sender, text }) =>
                `${paint('dim', `${formatIsoTime(sent_at)}  ${sender}`)}\n${text}\n`,
            )
            .join('\n') + nextPageHint(paint, next_cursor),
  }),
  operationCommand(operations.getClock, {
    usage: 'clock show',
    summary: 'show the time of the sandbox',
    example: 'show',
    show: formatReading,
  }),
  operationCommand(operations.advanceClock, {
    usage: 'clock advance <time>',
    summary: 'advance the clock; everything that becomes due happens in order',
    example: 'advance 10m',
    args: {
      time: {
        field: 'ms',
        description: '90s, 10m, 2h, 3d or 1h30m; at most 30d per call',
        parse: durationUpTo('30d'),
      },
    },
    show: formatReading,
  }),
  operationCommand(operations.listActions, {
    usage: 'actions',
    summary: 'list the actions of the admin API, newest first',
    example: 'actions --limit 50',
    empty: 'no actions',
    columns: { 'time (UTC)': 'at', action: 'action', subject: 'subject', request: 'request_id' },
  }),
];

function formatReading({ now, advanced_ms }: z.infer<typeof testClock>): string {
  const advanced = advanced_ms > 0 ? `, advanced by ${formatDuration(advanced_ms)}` : '';
  return `${formatIsoTime(now)} UTC${advanced}\n`;
}

export const supportCommands: readonly AddCommand[] = [...reviews, statement, ...deliveries, ...testMode];
