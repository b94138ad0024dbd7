import { type Command, Option } from 'commander';
import type { z } from 'zod';
import {
  type adminSession,
  adminSessionPage,
  review,
  type sessionPrompt,
  sessionRecord,
} from '../../contract/service/admin.ts';
import { sessionStatuses } from '../../contract/service/session.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { formatCedis } from '../../shared/money.ts';
import { table } from '../terminal/output.ts';
import { pathSegment } from './admin-client.ts';
import { msisdn, oneOf } from './arguments.ts';
import { type CommandKit, type CommonOptions, type MerchantOptions, readMerchantId } from './command-kit.ts';
import { deliveryTable } from './deliveries.ts';
import { registerCreateSession } from './developer/create-session.ts';
import { formatFields, formatTime } from './format.ts';

type Session = Tolerant<z.infer<typeof adminSession>>;
type Refund = NonNullable<NonNullable<Session['review']>['refund']>;
type Prompt = Tolerant<z.infer<typeof sessionPrompt>>;
type RefundOptions = CommonOptions & { reference: string; by: string };
type ListOptions = MerchantOptions & {
  live?: true;
  test?: true;
  status?: string;
  reference?: string;
  msisdn?: string;
};

const decisions = `
Decisions:
  accept  the session becomes paid, with the amount that was charged
  reject  the session becomes failed; return the money outside the service

The status of a session that was closed before the money arrived does not change: only the decision is recorded.`;

/** `dialtill service sessions`. */
export function registerServiceSessions(
  service: Command,
  kit: CommandKit,
  deps: { env: Environment; clock: Clock },
): void {
  const group = service.command('sessions').description('create, find, show and review sessions');

  registerCreateSession(group, kit, deps);

  const list = kit
    .command(group, 'list', 'find sessions, newest first', 'list --msisdn 0244123456 --status failed')
    .option('--merchant <id>', 'sessions of this merchant')
    .addOption(new Option('--live', 'only live sessions').conflicts('test'))
    .option('--test', 'only test sessions')
    .addOption(new Option('--status <status>', 'sessions in this status').choices(sessionStatuses))
    .option('--reference <text>', 'sessions with this reference or client_trans_id of the merchant')
    .option('--msisdn <number>', 'sessions of this payer', msisdn);
  kit.list<z.infer<typeof adminSessionPage>, ListOptions>(list, {
    page: adminSessionPage,
    path: () => '/sessions',
    query: async (client, { live, test, status, reference, msisdn, merchant }) => ({
      merchant_id: reference === undefined ? merchant : await readMerchantId(client, merchant),
      livemode: live ? 'true' : test ? 'false' : undefined,
      ...{ status, reference, msisdn },
    }),
    empty: 'no session found',
    columns: ['session', 'mode', 'status', 'amount', 'payer', 'reference', 'created (UTC)', 'reason'],
    row: sessionRow,
  });

  kit
    .command(group, 'show <id>', 'show a session with its review, prompts and events', 'show pay_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const record = await kit.client(options).get(`/sessions/${pathSegment(id)}`, sessionRecord);
      kit.print(options, record, ({ session, prompts, events }) =>
        [
          formatFields(sessionFields(session)),
          '\n',
          kit.paint('bold', 'prompts\n'),
          prompts.length === 0 ? 'none\n' : table(kit.paint, [promptHead, ...prompts.map(promptRow)]),
          '\n',
          kit.paint('bold', 'events\n'),
          events.length === 0 ? 'none\n' : deliveryTable(kit.paint, events),
        ].join(''),
      );
    });

  kit
    .command(
      group,
      'review <id>',
      'decide about money that does not fit its session',
      'review pay_01k… accept --note "merchant accepts the partial payment"',
    )
    .argument('<decision>', 'accept or reject', oneOf(['accept', 'reject']))
    .option('--note <text>', 'note for staff; merchants do not see it')
    .addHelpText('after', decisions)
    .action(async (id: string, decision: 'accept' | 'reject', options: CommonOptions & { note?: string }) => {
      const path = `/sessions/${pathSegment(id)}/review`;
      const resolved = await kit.client(options).send('POST', path, review, {
        resolution: decision === 'accept' ? 'accepted' : 'rejected',
        ...(options.note === undefined ? {} : { note: options.note }),
      });
      kit.print(options, resolved, (shown) => `${shown.session_id}: ${shown.resolution}\n`);
    });

  kit
    .command(
      group,
      'refund <id>',
      'record that the money of a rejected review was returned to the payer',
      'refund pay_01k… --reference MP26030 --by Ama',
    )
    .requiredOption('--reference <text>', 'reference of the transfer to the payer')
    .requiredOption('--by <name>', 'who made the transfer')
    .action(async (id: string, { reference, by, ...options }: RefundOptions) => {
      const path = `/sessions/${pathSegment(id)}/refund`;
      const settled = await kit.client(options).send('POST', path, review, { reference, by });
      kit.print(options, settled, (shown) =>
        shown.refund ? `${shown.session_id}: ${refundText(shown.refund)}\n` : `${shown.session_id}\n`,
      );
    });
}

function sessionRow(session: Session): string[] {
  return [
    session.id,
    `${session.livemode ? 'live' : 'test'} ${session.channel}`,
    session.held ? `${session.status}, in review` : session.status,
    formatCedis(session.amount_minor),
    session.payer_msisdn,
    getReference(session),
    formatTime(session.created_at),
    session.review?.reason ?? session.reason ?? '',
  ];
}

const promptHead = ['prompt', 'status', 'amount', 'charged', 'sent (UTC)', 'closed (UTC)'];

function promptRow(prompt: Prompt): string[] {
  return [
    prompt.id,
    prompt.status,
    formatCedis(prompt.amount_minor),
    formatCedis(prompt.charged_minor),
    formatTime(prompt.created_at),
    formatTime(prompt.closed_at),
  ];
}

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
    ['created', formatTime(session.created_at)],
    ['initiated', formatTime(session.initiated_at)],
    ['paid', formatTime(session.paid_at)],
    ['closed', formatTime(session.closed_at)],
    ...reviewFields(session),
  ];
}

function reviewFields({ review }: Session): [string, string][] {
  if (!review) return [];
  const { reason, paid_minor, paid_at, resolution, resolved_at, refund, note } = review;
  return [
    ['review', `${reason}: ${formatCedis(paid_minor)} at ${formatTime(paid_at)}`],
    ['decision', resolution ? `${resolution} ${formatTime(resolved_at)}` : 'open'],
    ...(refund === undefined ? [] : ([['refund', refundText(refund)]] as [string, string][])),
    ...(note === undefined ? [] : ([['note', note]] as [string, string][])),
  ];
}

function refundText({ state, amount_minor, reference, settled_at, settled_by }: Refund): string {
  const amount = formatCedis(amount_minor);
  if (state === 'due') return `${amount} due`;
  const by = settled_by === undefined ? '' : ` by ${settled_by}`;
  return `${amount} returned ${formatTime(settled_at)}, ${reference}${by}`;
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
