import type { Child } from 'hono/jsx';
import type { Insights } from '../../contract/merchant/insights.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { nameNetwork } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { defaultTimeZone } from '../../shared/time-text.ts';
import { can, type Person } from '../access/permissions.ts';
import { dayMs } from '../ledger/day.ts';
import { listNewDeciders } from '../staff/operations/accounts.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type GatewayCondition,
  type PageContent,
} from './define-route.ts';
import { workKinds } from './desk-query.ts';
import { Figures, HoursChart, SharesCard, StepsCard, SuspenseCard } from './home-figures.tsx';
import type { Mention } from './home-query.ts';
import { maxQueueRows, QueueCard, type WaitingWork } from './home-queue.tsx';
import { Card, Flash } from './parts/card.tsx';
import { nameZone, showClock, showLongDay, showMoment, showSpan, showZoned } from './parts/format.ts';
import { MerchantChoice } from './parts/list.tsx';
import { paymentPath } from './parts/table.tsx';
import { listPath } from './payments-filter.ts';
import { getScope } from './scope.ts';

export const homeRoutes = [
  defineConsoleRoute(
    'GET /',
    { needs: 'account.own', menu: { group: 'Work', link: 'Overview', icon: 'home' } },
    async (call, context) => call.show(await readPage(call, context)),
  ),
];

async function readPage(call: ConsoleCall, context: ConsoleContext): Promise<PageContent> {
  const { person, reads, query } = call;
  const { livemode, merchantIds } = context.operations;
  const own = getScope(person).merchantId;
  const now = context.clock.now();
  const chosen = merchantIds().find((id) => id === query.merchant);
  const merchantId = own ?? chosen ?? null;
  const today = Math.floor(now / dayMs) * dayMs;
  const days = { from: today, to: today + dayMs, now };
  const figures = can(person, 'payments.read')
    ? await reads.insights({ ...days, merchantId, livemode })
    : undefined;
  const queue = own === null ? await readQueue(call, context, now) : undefined;
  const alerts = own === null ? listAlerts(await context.condition()) : [];
  const choice = figures && own === null && (
    <MerchantChoice path="/console" ids={merchantIds()} chosen={chosen} />
  );
  const timeZone = context.operations.timeZone(merchantId);
  return homePage({ alerts, figures, queue, choice, person, merchantId, now, timeZone });
}

async function readQueue(
  { person, reads }: ConsoleCall,
  { operations }: ConsoleContext,
  now: EpochMs,
): Promise<WaitingWork> {
  const { livemode } = operations;
  // What the service decides waits for no person here.
  const kinds = workKinds.filter(
    (one) => one !== 'service' && can(person, one === 'endpoints' ? 'endpoints.read' : 'cases.read'),
  );
  const canDecide = can(person, 'proposals.decide');
  const deciders = await listNewDeciders(operations, { actor: person });
  const request = { name: person.name, livemode, now };
  return {
    needs: await reads.needs(request),
    days: can(person, 'days.close')
      ? await reads.unclosedDays({ livemode, now, merchantIds: operations.merchantIds() })
      : null,
    newDeciders: deciders.ok ? deciders.value.total : 0,
    desk: kinds.length > 0 ? await reads.desk({ kinds, livemode, now, limit: maxQueueRows }) : null,
    proposals: canDecide ? await reads.openProposals(request, maxQueueRows) : [],
    refusals: can(person, 'proposals.make') ? await reads.refusals(request, maxQueueRows) : [],
    mentions: await reads.mentions(person.accountId, now),
  };
}

/** Figures that are some seconds old need no notice. */
const maxAgeMs = 60_000;

const isBehind = ({ counted_until: until }: Insights, now: EpochMs) =>
  until !== null && now - Date.parse(until) > maxAgeMs;

type HomeProps = {
  alerts: readonly string[];
  /** Absent for people who may not see payments. */
  figures: Insights | undefined;
  /** Absent for people of a merchant. */
  queue: WaitingWork | undefined;
  choice: Child;
  person: Person;
  merchantId: string | null;
  now: EpochMs;
  /** That of the merchant, beside the time of the figures. */
  timeZone: string;
};

function homePage({ alerts, figures, queue, choice, person, ...shown }: HomeProps): PageContent {
  const { merchantId, now, timeZone } = shown;
  const merchant = merchantId === null ? {} : { merchant: merchantId };
  const query = merchantId === null ? '' : `?merchant=${encodeURIComponent(merchantId)}`;
  const paths = {
    waiting: listPath({ ...(queue && merchant), status: 'waiting' }),
    suspense: can(person, 'cases.read') ? '/console/unplaced' : null,
  };
  const body = (
    <>
      <div class="line between">
        <div>
          <h1>Overview</h1>
          <p class="muted">
            {showLongDay(now, 0)}, {showClock(now)} · {nameZone()}
            {timeZone !== defaultTimeZone && `, ${showClock(now, timeZone)} ${timeZone}`}
            {figures && ` · ${merchantId ?? 'all merchants'}`}
          </p>
        </div>
        {choice}
      </div>
      {alerts.map((text) => (
        <Flash tone="bad">{text}</Flash>
      ))}
      {figures && isBehind(figures, now) && (
        <Flash tone="open">
          <b>The figures are being counted.</b> They contain what happened until{' '}
          {showMoment(Date.parse(figures.counted_until ?? ''), now)}.
        </Flash>
      )}
      {figures?.now.slow_prompts.map(({ network, median_seconds, usual_seconds }) => (
        <Flash tone="open">
          <b>
            {nameNetwork(network)} prompts took {showSpan(median_seconds * 1_000)} in the last hour, usually{' '}
            {showSpan(usual_seconds * 1_000)}.
          </b>
        </Flash>
      ))}
      {figures && (
        <Figures
          {...{ figures, now, paths }}
          unplaced={merchantId === null ? queue?.needs.unplaced.count : undefined}
        />
      )}
      {queue && <QueueCard queue={queue} person={person} now={now} />}
      {figures && (
        <>
          <div class="stack halves">
            <div class="stack">
              <HoursChart figures={figures} />
              <SuspenseCard figures={figures} />
            </div>
            <SharesCard figures={figures} />
          </div>
          <StepsCard figures={figures} path={`/console/menu${queue ? query : ''}`} />
        </>
      )}
    </>
  );
  return { title: 'Overview', hasOwnHeading: true, body };
}

/** Merchants of one message. The others are counted. */
const maxNamed = 5;

/** Returns a message for each condition in which payments are not possible or not safe, the worst first. */
function listAlerts({ readiness, unavailable, keysRejected }: GatewayCondition): string[] {
  const { database, worker, draining, diskFull, recovering, rateLimited, ledgerUnsigned } = readiness;
  const found: [isTrue: boolean | undefined, text: string][] = [
    [!database, 'The database cannot be used. No payment is recorded.'],
    [diskFull, 'The disk is full. Nothing is recorded, and new payers are rejected until there is space.'],
    [
      keysRejected.length > 0,
      `The service rejects the key of ${getNames(keysRejected)}: no payment of it is possible. Renew the key.`,
    ],
    [
      unavailable.length > 0,
      `The service does not answer for ${getNames(unavailable)}: payments are not possible. Nothing is lost, and open payments are checked when it answers.`,
    ],
    [recovering, 'A recovery after a restore is running. New payers are rejected for a while.'],
    [!worker, 'The worker does not run: no payment advances. Check the log of the gateway.'],
    [draining, 'The gateway is stopping, and accepts no new payers.'],
    [rateLimited, 'The service limits the calls, and they are paused. Payments take longer.'],
    [ledgerUnsigned, 'New blocks of the ledger are not signed. Tell the people who run the gateway.'],
    [
      readiness.unsealedSeconds !== undefined,
      'New rows of the ledger are not sealed. Tell the people who run the gateway.',
    ],
    [
      readiness.lastBackupAt === null,
      'There is no verified backup of the ledger. Tell the people who run the gateway.',
    ],
  ];
  return found.filter(([isTrue]) => isTrue).map(([, text]) => text);
}

function getNames(merchants: readonly string[]): string {
  const named = merchants.slice(0, maxNamed).join(', ');
  return merchants.length > maxNamed ? `${named} and ${merchants.length - maxNamed} more` : named;
}

type MentionsProps = {
  mentions: readonly Mention[];
  now: EpochMs;
  /** Returns the time zone of a merchant. */
  timeZone(merchantId: string): string;
};

/** The notes of the last week that mention the person. Nothing without one. */
export function Mentions({ mentions, now, timeZone }: MentionsProps) {
  if (mentions.length === 0) return null;
  return (
    <Card id="mentions" title="Notes that mention you">
      <ul class="stack tight">
        {mentions.map(({ at, by, merchantId, collectionId, shortReference }) => (
          <li>
            <b>{by}</b> <small>{showZoned(at, now, timeZone(merchantId))}</small>{' '}
            <a href={paymentPath(collectionId)}>{showShortReference(shortReference)}</a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
