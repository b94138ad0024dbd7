import { type Command, Option } from 'commander';
import { sessionStatuses } from '../../contract/session.ts';
import { formatCedis } from '../../shared/money.ts';
import { table } from '../terminal/output.ts';
import { part } from './admin-client.ts';
import { type CommandKit, type CommonOptions, merchantOf, oneOf, wholeNumber } from './command-kit.ts';
import { deliveryTable } from './deliveries.ts';
import { payerNumber } from './number.ts';
import { type PromptAnswer, review, type SessionAnswer, sessionFile, sessions } from './responses.ts';
import { fields, nextPage, shownTime } from './show.ts';

type ListOptions = CommonOptions & {
  merchant?: string;
  live?: true;
  test?: true;
  status?: string;
  reference?: string;
  msisdn?: string;
  limit?: number;
  cursor?: string;
};

const decisions = `
Decisions:
  accept  the session counts as paid with what was taken
  reject  the session counts as failed; sending the money back is done outside

A session that was closed before the money came stays as it is: the decision alone is written down.`;

/** `dialtill service sessions`. */
export function registerSessions(service: Command, desk: CommandKit): void {
  const group = service.command('sessions').description('payment sessions of any merchant');

  desk
    .command(group, 'list', 'find sessions, newest first', 'list --msisdn 0244123456 --status failed')
    .option('--merchant <id>', 'of this merchant')
    .addOption(new Option('--live', 'live sessions alone').conflicts('test'))
    .option('--test', 'test sessions alone')
    .addOption(new Option('--status <status>', 'in this status').choices(sessionStatuses))
    .option('--reference <text>', "with this reference or client_trans_id of the merchant's")
    .option('--msisdn <number>', 'of this payer', payerNumber)
    .option('--limit <count>', 'how many, 1 to 100 (default: 20)', wholeNumber(1, 100))
    .option('--cursor <id>', 'the page after')
    .action(async (options: ListOptions) => {
      const { live, test, status, reference, msisdn, limit, cursor } = options;
      const office = desk.office(options);
      const found = await office.get('/sessions', sessions, {
        merchant_id: reference === undefined ? options.merchant : await merchantOf(office, options.merchant),
        livemode: live ? 'true' : test ? 'false' : undefined,
        status,
        reference,
        msisdn,
        limit: limit === undefined ? undefined : String(limit),
        cursor,
      });
      desk.show(options, found, ({ data, next_cursor }) =>
        data.length === 0
          ? 'no session found\n'
          : table(desk.paint, [
              ['session', 'mode', 'status', 'amount', 'payer', 'reference', 'created (UTC)', 'why'],
              ...data.map(row),
            ]) + nextPage(desk.paint, next_cursor),
      );
    });

  desk
    .command(group, 'show <id>', 'show a session, its review, its prompts and its events', 'show pay_01k…')
    .action(async (id: string, options: CommonOptions) => {
      const file = await desk.office(options).get(`/sessions/${part(id)}`, sessionFile);
      desk.show(options, file, ({ session, prompts, events }) =>
        [
          fields(about(session)),
          '\n',
          desk.paint('bold', 'prompts\n'),
          prompts.length === 0 ? 'none\n' : table(desk.paint, [promptHead, ...prompts.map(promptRow)]),
          '\n',
          desk.paint('bold', 'events\n'),
          events.length === 0 ? 'none\n' : deliveryTable(desk.paint, events),
        ].join(''),
      );
    });

  desk
    .command(
      group,
      'review <id>',
      'decide about money that does not fit its session',
      'review pay_01k… accept --note "the merchant takes the part"',
    )
    .argument('<decision>', 'accept or reject', oneOf(['accept', 'reject']))
    .option('--note <text>', 'for staff who ask later; merchants do not see it')
    .addHelpText('after', decisions)
    .action(async (id: string, decision: 'accept' | 'reject', options: CommonOptions & { note?: string }) => {
      const done = await desk.office(options).send('POST', `/sessions/${part(id)}/review`, review, {
        resolution: decision === 'accept' ? 'accepted' : 'rejected',
        ...(options.note === undefined ? {} : { note: options.note }),
      });
      desk.show(options, done, (one) => `${one.session_id}: ${one.resolution}\n`);
    });
}

function row(one: SessionAnswer): string[] {
  return [
    one.id,
    `${one.livemode ? 'live' : 'test'} ${one.channel}`,
    one.held ? `${one.status}, held` : one.status,
    formatCedis(one.amount_minor),
    one.payer_msisdn,
    one.reference ?? one.client_trans_id ?? '-',
    shownTime(one.created_at),
    one.review?.reason ?? one.reason ?? '',
  ];
}

const promptHead = ['prompt', 'status', 'amount', 'charged', 'pushed (UTC)', 'closed (UTC)'];

function promptRow(one: PromptAnswer): string[] {
  return [
    one.id,
    one.status,
    formatCedis(one.amount_minor),
    formatCedis(one.charged_minor),
    shownTime(one.created_at),
    shownTime(one.closed_at),
  ];
}

function about(one: SessionAnswer): [string, string][] {
  const { review } = one;
  return [
    ['session', one.id],
    ['status', one.held ? `${one.status}, held: a person must decide` : one.status],
    ['reason', one.reason ?? '-'],
    ['merchant', `${one.merchant_id} (${one.livemode ? 'live' : 'test'}, ${one.channel})`],
    ['platform', one.platform_id],
    ['payer', `${one.payer_msisdn} on ${one.network}`],
    ['reference', one.reference ?? one.client_trans_id ?? '-'],
    ['goods', formatCedis(one.goods_minor)],
    ['fee', formatCedis(one.expected_fee_minor)],
    ['amount', formatCedis(one.amount_minor)],
    ...taken(one),
    ['to merchant', formatCedis(one.expected_net_minor)],
    ['created', shownTime(one.created_at)],
    ['initiated', shownTime(one.initiated_at)],
    ['paid', shownTime(one.paid_at)],
    ['closed', shownTime(one.closed_at)],
    ...(review
      ? ([
          ['review', `${review.reason}: ${formatCedis(review.paid_minor)} at ${shownTime(review.paid_at)}`],
          ['decision', review.resolution ? `${review.resolution} ${shownTime(review.resolved_at)}` : 'open'],
          ...(review.note === undefined ? [] : [['note', review.note]]),
        ] as [string, string][])
      : []),
  ];
}

/** What a session was paid with, where that is another amount than the one asked for. */
function taken({ status, review }: SessionAnswer): [string, string][] {
  const isOther = review?.reason === 'paid_short' || review?.reason === 'paid_over';
  return status === 'paid' && isOther ? [['taken', formatCedis(review.paid_minor)]] : [];
}
