import type { Child } from 'hono/jsx';
import type { DayStatementView } from '../../contract/staff/statement.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { Icon } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import { can, type Person } from '../access/permissions.ts';
import { dayMs, type TimeSpan, showDay as toDate } from '../ledger/day.ts';
import type { DayClose } from '../staff/day-close-query.ts';
import { type Day, listedDays, type MerchantSums } from './days-query.ts';
import { DaysChart, Differences, StatementImport } from './days-statement.tsx';
import type { ConsoleCall, PageContent } from './define-route.ts';
import { Card, Chip, Flash, Lines, notFoundPage } from './parts/card.tsx';
import { nameZone, showAmount, showLongDay, showNumber, showZoned, toQuery } from './parts/format.ts';
import { ButtonLink, Submit } from './parts/forms.tsx';
import { Table } from './parts/table.tsx';
import { listPath, ofDay } from './payments-filter.ts';

/** The content of the page of a day, its reader and the present time. */
export type ShownDay = Day & {
  date: string;
  span: TimeSpan;
  now: EpochMs;
  /** Returns the time zone of a merchant. */
  timeZone(merchantId: string): string;
  /** The merchants of the configuration. */
  merchantIds: readonly string[];
  person: Person;
};

/** A merchant on a day: its totals, its statement and its close. */
type MerchantDayView = {
  sums: MerchantSums;
  statement: DayStatementView | undefined;
  close: DayClose | undefined;
  /** True when the close has the totals and the statement of now. */
  isClosed: boolean;
  canBeClosed: boolean;
};

function listMerchants({ sums, statements, closes, span, now }: ShownDay): MerchantDayView[] {
  return sums.map((one) => {
    const { merchantId } = one;
    const statement = statements.find((other) => other.merchantId === merchantId);
    const close = closes.find((other) => other.merchantId === merchantId);
    const isClosed = close !== undefined && isSame(close, one, statement);
    const isReady = one.open + one.toDecide + (statement?.unexplained ?? 0) === 0;
    return { sums: one, statement, close, isClosed, canBeClosed: now >= span.to && isReady && !isClosed };
  });
}

/** The totals that a person confirms by closing the day. */
const closedColumns = ['opened', 'paid', 'notPaid', 'chargedMinor', 'feeMinor', 'netMinor'] as const;

/** People of a merchant see no statements: for them, a close holds as long as the totals do. */
function isSame({ totals, digest }: DayClose, row: MerchantSums, statement?: DayStatementView) {
  const hasTotals = closedColumns.every((name) => totals[name] === row[name]);
  return hasTotals && (statement === undefined || digest === statement.digest);
}

/** Returns the page of one day: the books of each merchant beside its statement, and what is missing before the close. */
export function dayPage(
  day: ShownDay,
  { query, fields }: Pick<ConsoleCall, 'query' | 'fields'>,
): PageContent {
  const { date, span, now, person, statements, merchantIds } = day;
  const isOwn = person.merchantId !== null;
  const canClose = can(person, 'days.close');
  const merchants = listMerchants(day);
  const next = canClose ? merchants.find(({ canBeClosed }) => canBeClosed) : undefined;
  const isOver = now >= span.to;
  const typed = fields.merchant === undefined ? undefined : fields;
  const body = (
    <>
      <DayLinks {...day} />
      <div class="line between">
        <div>
          <h1>{showLongDay(span.from, 0)}</h1>
          <p class="muted">
            From midnight to midnight, {nameZone()}.{' '}
            {isOver ? 'The day is over.' : 'The day is not over. Its totals change.'}{' '}
            {describeClosed(merchants)}
          </p>
        </div>
        <div class="line actions">
          {!isOwn && (
            <ButtonLink href={`/console/days/${date}/bookings.csv?numbers=masked`}>
              Export the bookings
            </ButtonLink>
          )}
          {next && (
            <a class="button primary" href={closePath(date, next)}>
              Close {next.sums.merchantId}
            </a>
          )}
        </div>
      </div>
      <Done query={query} merchants={merchants} />
      <div class="stack rail">
        <div class="stack">
          {isOwn ? (
            <OwnDay {...day} merchants={merchants} />
          ) : (
            <Books {...day} merchants={merchants} next={next} />
          )}
          {statements
            .filter(({ different }) => different > 0)
            .map((statement) => (
              <Differences
                statement={statement}
                canExplain={canClose}
                typed={typed}
                moment={momentOf(day, statement)}
              />
            ))}
          {canClose && now >= span.from && merchantIds.length > 0 && (
            <StatementImport
              date={date}
              merchantIds={merchantIds}
              typed={typed}
              isFirst={statements.length === 0}
            />
          )}
          <DaysChart days={day.days} isOwn={isOwn} />
        </div>
        <aside class="stack" aria-label="Closing">
          {!isOwn && <Steps merchants={merchants} />}
          <Money {...day} />
        </aside>
      </div>
    </>
  );
  return { title: `Day ${date}`, hasOwnHeading: true, body };
}

function describeClosed(merchants: readonly MerchantDayView[]): string {
  const closed = merchants.filter(({ isClosed }) => isClosed).length;
  if (merchants.length === 0) return '';
  if (closed === 0) return 'No merchant is closed.';
  if (closed === merchants.length) return 'Every merchant is closed.';
  return `${closed} of ${merchants.length} merchants ${closed === 1 ? 'is' : 'are'} closed.`;
}

/** The days before and after, of the last days: pages without an end are nothing to walk through. */
function DayLinks({ date, span, now }: ShownDay) {
  const link = (from: EpochMs) => (
    <a href={`/console/days/${toDate(from / dayMs)}`}>{showLongDay(from, from).replace(/ \w+$/, '')}</a>
  );
  return (
    <nav aria-label="Days" class="choices">
      {now - span.from < (listedDays - 1) * dayMs && link(span.from - dayMs)}
      <a href={`/console/days/${date}`} aria-current="page">
        {showLongDay(span.from, span.from).replace(/ \w+$/, '')}
      </a>
      {now >= span.to && link(span.to)}
      <a href="/console/days">All days</a>
    </nav>
  );
}

/** The result of the action before. The address names it, so that the page can be loaded again. */
function Done({ query, merchants }: { query: ConsoleCall['query']; merchants: readonly MerchantDayView[] }) {
  const found = merchants.find(({ sums }) => sums.merchantId === query.merchant);
  if (!found) return null;
  const { sums, statement } = found;
  const left = statement?.unexplained ?? 0;
  const next =
    left > 0
      ? `${plural(left, 'difference')} without an explanation.`
      : found.canBeClosed
        ? `${sums.merchantId} can be closed.`
        : '';
  switch (query.done) {
    case 'closed':
      return !found.isClosed ? null : (
        <Flash tone="good">{sums.merchantId} is closed. The audit has its totals and its statement.</Flash>
      );
    case 'imported':
      return (
        <Flash tone={left > 0 ? 'review' : 'good'}>
          Statement of {sums.merchantId} imported. {next}
        </Flash>
      );
    case 'unchanged':
      return (
        <Flash tone="idle">This statement of {sums.merchantId} was imported before. Nothing changed.</Flash>
      );
    case 'explained':
      return <Flash tone="good">Explanation added. {next}</Flash>;
    default:
      return null;
  }
}

type MerchantsProps = ShownDay & { merchants: readonly MerchantDayView[] };

function Books({ next, ...day }: MerchantsProps & { next: MerchantDayView | undefined }) {
  const { isCut, merchants } = day;
  const compared = merchants.filter(({ statement }) => statement !== undefined);
  const sum = (rows: readonly MerchantDayView[], of: (row: MerchantDayView) => number) =>
    rows.reduce((total, row) => total + of(row), 0);
  const books = (rows: readonly MerchantDayView[]) => sum(rows, ({ sums }) => sums.chargedMinor);
  const difference = ({ sums, statement }: MerchantDayView) =>
    statement === undefined ? undefined : sums.chargedMinor - statement.statementMinor;
  const statementSum = sum(compared, ({ statement }) => statement?.statementMinor ?? 0);
  return (
    <Table
      label="Books and statement"
      title="Books and statement"
      caption={
        <>Paid payments that were opened on this day, in GHS.{isCut && ' Not all merchants are shown.'}</>
      }
      columns={[
        ['Merchant', ({ sums }) => <a href={dayListPath(day, sums)}>{sums.merchantId}</a>],
        ['Paid', ({ sums }) => sums.paid, 'amount'],
        ['Books', ({ sums }) => showNumber(sums.chargedMinor), 'amount'],
        ['Statement', ({ statement }) => showNumber(statement?.statementMinor), 'amount'],
        ['Difference', (row) => showNumber(difference(row)), 'sum'],
        ['State', (row) => <State row={row} day={day} isNext={row === next} />, 'detail'],
      ]}
      hasRowHeads
      rows={merchants}
      empty={<p>No payment was opened on this day.</p>}
      foot={
        merchants.length > 1
          ? [
              'All',
              sum(merchants, ({ sums }) => sums.paid),
              showNumber(books(merchants)),
              compared.length === 0 ? '–' : showNumber(statementSum),
              compared.length < merchants.length ? '–' : <b>{showNumber(books(compared) - statementSum)}</b>,
              null,
            ]
          : undefined
      }
    />
  );
}

/** The totals of their own day for people of a merchant, who do not see who of support staff closed it. */
function OwnDay(day: MerchantsProps) {
  const { merchants } = day;
  return (
    <Table
      label="Totals"
      caption="Payments that were opened on this day. Amounts are those of the paid ones, in GHS."
      columns={[
        ['Merchant', ({ sums }) => <a href={dayListPath(day, sums)}>{sums.merchantId}</a>],
        ['Opened', ({ sums }) => sums.opened, 'amount'],
        ['Paid', ({ sums }) => sums.paid, 'amount'],
        ['Not paid', ({ sums }) => sums.notPaid, 'amount'],
        ['To decide', ({ sums }) => sums.toDecide, 'amount'],
        ['Charged', ({ sums }) => showNumber(sums.chargedMinor), 'sum'],
        ['State', (row) => (row.close ? <Closed row={row} day={day} /> : 'not closed'), 'detail'],
      ]}
      hasRowHeads
      rows={merchants}
      empty={<p>No payment was opened on this day.</p>}
    />
  );
}

/** Returns the list of the payments of a merchant that its totals count. */
function dayListPath({ span, timeZone, person }: ShownDay, { merchantId }: MerchantSums): string {
  const merchant = person.merchantId === null ? { merchant: merchantId } : {};
  return listPath({ ...merchant, ...ofDay(span, timeZone(merchantId)) });
}

/** Returns how times of a merchant are shown: in its time zone. */
function momentOf({ now, timeZone }: ShownDay, { merchantId }: { merchantId: string }) {
  return (at: EpochMs) => showZoned(at, now, timeZone(merchantId));
}

function closePath(date: string, { sums }: MerchantDayView): string {
  return `/console/days/${date}/close${toQuery({ merchant: sums.merchantId })}`;
}

type StateProps = { row: MerchantDayView; day: ShownDay; isNext: boolean };

/** The state of a merchant's day: what is missing before its close, or who closed it. */
function State({ row, day, isNext }: StateProps) {
  const { statement, canBeClosed } = row;
  const { open, toDecide, merchantId } = row.sums;
  const ready = canBeClosed && (
    <>
      {' '}
      {can(day.person, 'days.close') && !isNext ? (
        <a href={closePath(day.date, row)} aria-label={`Close ${merchantId}`}>
          Close
        </a>
      ) : (
        'ready to close'
      )}
    </>
  );
  const chips: Child[] = [];
  if (row.close) chips.push(<Closed row={row} day={day} by={row.close.actor} />);
  if (open > 0) chips.push(<Chip tone="open">{plural(open, 'payment')} open</Chip>);
  if (toDecide > 0) chips.push(<Chip tone="review">{toDecide} to decide</Chip>);
  if (statement && statement.unexplained > 0)
    chips.push(
      <>
        <Chip tone="bad">Differs</Chip>{' '}
        <a href={`#diff-${merchantId}`}>{plural(statement.unexplained, 'payment')}</a>
      </>,
    );
  else if (statement && statement.different > 0 && !row.isClosed)
    chips.push(<Chip tone="good">Explained</Chip>);
  else if (statement && !row.isClosed) chips.push(<Chip tone="good">Equal</Chip>);
  else if (!statement && !row.isClosed) chips.push(<Chip tone="idle">No statement</Chip>);
  return (
    <span class="line">
      {chips}
      {ready}
    </span>
  );
}

/** Who closed a day, with which statement, and what has changed since. `by`: absent for people of a merchant. */
function Closed({ row: { close, isClosed, sums }, day, by }: Omit<StateProps, 'isNext'> & { by?: string }) {
  if (!close) return null;
  const { totals, digest, at } = close;
  const isTotal = closedColumns.every((name) => totals[name] === sums[name]);
  const without = by === undefined ? '' : digest === null ? ', without a statement' : '';
  return (
    <span>
      <Chip tone={isClosed ? 'good' : 'review'}>{isClosed ? 'Closed' : 'Changed'}</Chip>{' '}
      {by === undefined ? '' : `by ${by}, `}
      {momentOf(day, sums)(at)}
      {without}
      {!isClosed &&
        (isTotal
          ? '. The statement changed since.'
          : `. The totals changed since: ${totals.paid} paid, ${showAmount(totals.chargedMinor)} charged.`)}
    </span>
  );
}

function Steps({ merchants }: { merchants: readonly MerchantDayView[] }) {
  const left = merchants.filter(({ isClosed }) => !isClosed);
  const open = left.reduce((total, { sums }) => total + sums.open, 0);
  const toDecide = left.reduce((total, { sums }) => total + sums.toDecide, 0);
  const names = (rows: readonly MerchantDayView[]) => {
    const shown = rows.slice(0, 3).map(({ sums }) => sums.merchantId);
    return [...shown, ...(rows.length > 3 ? [`${rows.length - 3} more`] : [])].join(', ');
  };
  const missing = left.filter(({ statement }) => statement === undefined);
  const differing = left.filter(({ statement }) => (statement?.unexplained ?? 0) > 0);
  const step = (isDone: boolean, done: string, text: Child) => (
    <li class={isDone ? 'done' : undefined}>
      <Icon name={isDone ? 'paid' : 'not'} />
      <span>{isDone ? done : text}</span>
    </li>
  );
  const [first] = differing;
  return (
    <Card id="before" title="Before a day is closed">
      <ol class="steps small">
        {step(open === 0, 'No payment is open', `${plural(open, 'payment')} open`)}
        {step(toDecide === 0, 'Nothing is left to decide', `${plural(toDecide, 'payment')} to decide`)}
        {step(missing.length === 0, 'The statement was read', `No statement of ${names(missing)}`)}
        {step(
          differing.length === 0,
          'No difference is without an explanation',
          <>
            Each difference is explained:{' '}
            <a href={`#diff-${first?.sums.merchantId}`}>
              {names(differing)} {differing.length === 1 ? 'differs' : 'differ'}
            </a>
          </>,
        )}
      </ol>
      <p class="small">
        A day can be closed without a statement, and the close says so. A closed day is not locked. When a
        later event or statement changes it, it is shown here as changed, and you close it again.
      </p>
    </Card>
  );
}

/** Describes the payments that were opened on a day, those without a result included. */
function openedText({ opened, paid, notPaid }: { opened: number; paid: number; notPaid: number }): string {
  const left = opened - paid - notPaid;
  return `${plural(opened, 'payment')}: ${paid} paid, ${notPaid} not paid${left > 0 ? `, ${left} not decided` : ''}`;
}

/** The sums of the paid payments, and what went into suspense. */
function Money({ sums, suspendedMinor, date, person }: ShownDay) {
  const sum = (name: 'chargedMinor' | 'feeMinor' | 'netMinor') =>
    sums.reduce((total, row) => total + row[name], 0);
  const lines = [
    ['Charged', sum('chargedMinor')],
    ['Fees', sum('feeMinor')],
    ['To merchants', sum('netMinor')],
    ...(suspendedMinor === null ? [] : [['Suspense, net, booked on this day', suspendedMinor] as const]),
  ] as const;
  return (
    <Card id="money" title="Money of the day, GHS">
      <dl class="small">
        {lines.map(([name, minor]) => (
          <>
            <dt>{name}</dt>
            <dd class="n">{showNumber(minor)}</dd>
          </>
        ))}
      </dl>
      {person.merchantId === null && (
        <a class="small" href={`/console/days/${date}/bookings`}>
          Show the bookings
        </a>
      )}
    </Card>
  );
}

/** Returns the page that asks before a merchant's day is closed, with everything that the close records. */
export function closePage(day: ShownDay, merchantId: string): PageContent {
  const { date, span } = day;
  const found = listMerchants(day).find(({ sums }) => sums.merchantId === merchantId);
  if (!found) return notFoundPage('Nothing to close', `${date} has no payments of this merchant.`);
  const { sums, statement, canBeClosed, isClosed } = found;
  const back = `/console/days/${date}`;
  const fields = {
    merchant: merchantId,
    digest: statement?.digest ?? '',
    ...Object.fromEntries(closedColumns.map((name) => [name, sums[name]])),
  };
  const body = (
    <Card id="facts" title={showLongDay(span.from, 0)}>
      <dl>
        <Lines
          lines={[
            ['Opened', openedText(sums)],
            ['Charged', showAmount(sums.chargedMinor)],
            ['Fees', showAmount(sums.feeMinor)],
            ['To the merchant', showAmount(sums.netMinor)],
            [
              'Statement',
              statement
                ? `${showAmount(statement.statementMinor)} in ${plural(statement.sessions, 'payment')}, imported by ${statement.importedBy}, ${momentOf(day, sums)(Date.parse(statement.importedAt))}`
                : 'None was imported: the books are compared with nothing.',
            ],
          ]}
        />
      </dl>
      {statement && statement.differences.length > 0 && (
        <>
          <p>
            {plural(statement.different, 'difference')}, {statement.unexplained} without an explanation:
          </p>
          <ul>
            {statement.differences.map(({ sessionId, why, explanation }) => (
              <li>
                <code>{sessionId}</code> {why} {explanation && <b>{explanation.text}</b>}
              </li>
            ))}
          </ul>
        </>
      )}
      {canBeClosed ? (
        <form class="line actions" method="post" action={`/console/days/${date}/close`}>
          {Object.entries(fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <Submit>Close {merchantId}</Submit>
          <ButtonLink href={back}>Go back</ButtonLink>
        </form>
      ) : (
        <>
          <p>
            {isClosed
              ? 'It is closed with these totals.'
              : 'It cannot be closed yet: the page of the day lists what is missing.'}
          </p>
          <p class="line actions">
            <ButtonLink href={back}>Go back</ButtonLink>
          </p>
        </>
      )}
    </Card>
  );
  return { title: `Close ${merchantId}`, body };
}
