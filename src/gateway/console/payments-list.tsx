import type { Child } from 'hono/jsx';
import { nameNetwork, operators, operatorTitles } from '../../shared/msisdn.ts';
import { Icon } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import { type CollectionRow, openStatuses } from '../collection/collection.ts';
import { type FilterName, type FilterTexts, timePresets } from '../support/filter-text.ts';
import { reasons } from '../support/known-values-query.ts';
import type { ListSums } from '../support/list-query.ts';
import type { Scope } from '../support/page.ts';
import { addUp, type StatusSum } from '../support/page-query.ts';
import { nameReason } from '../support/playbook/playbook-row.ts';
import { type StatusFilter, statusGroups } from '../support/selection-query.ts';
import { Card, Chip } from './parts/card.tsx';
import { showAmount, showNumber, type Tone } from './parts/format.ts';
import { Submit } from './parts/forms.tsx';
import { TableHead } from './parts/table.tsx';
import {
  filteredBy,
  hasFilter,
  listPath,
  paymentsPath,
  presetWords,
  type UsedFilter,
} from './payments-filter.ts';

/** Returns the sums of a day, for its heading. */
export function describeDay(sums: ListSums | undefined, [newest]: readonly CollectionRow[]): string {
  const at = newest?.openedAt ?? 0;
  // The days are newest first.
  const day = sums?.days.toSorted((one, other) => other.from - one.from).find(({ from }) => from <= at);
  return day ? `${plural(day.total, 'payment')}, ${day.paid} paid: ${showAmount(day.chargedMinor)}` : '';
}

type SumGroup = { filter: StatusFilter; words: string; tone: Tone; has(sum: StatusSum): boolean };

/** A payment about which the service decides has a status of a review, and waits. */
const isWaiting = ({ status, hasReview }: StatusSum) =>
  openStatuses.some((one) => one === status) || (status === 'review' && hasReview === 0);
const isUnpaid = ({ status }: StatusSum) => ['failed', 'expired', 'abandoned'].includes(status);

/** The groups of the sums. A payment about which a person must decide is only counted in the third one. */
const groups: readonly SumGroup[] = [
  { filter: 'paid', words: 'Paid', tone: 'good', has: ({ status }) => status === 'paid' },
  { filter: 'waiting', words: 'Waiting', tone: 'open', has: isWaiting },
  { filter: 'decide', words: 'To decide', tone: 'review', has: ({ hasReview }) => hasReview === 1 },
  { filter: 'unpaid', words: 'Not paid', tone: 'idle', has: isUnpaid },
];

/** Returns the group in which a payment is counted: each is in one, so that the groups add up to all. */
const groupOf = (one: StatusSum) =>
  groups.find(({ filter, has }) => (one.hasReview ? filter === 'decide' : has(one)));

export function SumsTable({ sums, status }: { sums: ListSums; status: string | undefined }) {
  const wanted = groups.find(({ filter }) => filter === status);
  const shown = sums.statuses.filter((one) =>
    wanted ? wanted.has(one) : status === undefined || one.status === status,
  );
  const rows = groups
    .map((group) => ({ group, ...addUp(shown.filter((one) => groupOf(one) === group)) }))
    .filter(({ total }) => total > 0);
  const all = addUp(shown);
  const line = ({ total, sumMinor, chargedMinor }: ReturnType<typeof addUp>) => (
    <>
      <td class="n" data-label="payments">
        {total}
      </td>
      <td class="n" data-label="price">
        {showNumber(sumMinor)}
      </td>
      <td class="n" data-label="charged">
        {showNumber(chargedMinor || null)}
      </td>
    </>
  );
  return (
    <Card id="sums" title={`Sums of ${all.total === 1 ? 'this payment' : `these ${all.total} payments`}`}>
      <table class="list">
        <TableHead columns={['Status', ['Payments', 'n'], ['Price, GHS', 'n'], ['Charged, GHS', 'n']]} />
        <tbody>
          {rows.map(({ group, ...sum }) => (
            <tr>
              <th scope="row" class="full">
                <Chip tone={group.tone}>{group.words}</Chip>
              </th>
              {line(sum)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" class="full">
              All
            </th>
            {line(all)}
          </tr>
        </tfoot>
      </table>
    </Card>
  );
}

type FilterBarProps = {
  texts: FilterTexts;
  sums: ListSums | undefined;
  scope: Scope;
  merchants: readonly string[];
  channels: readonly string[];
  /** The people who can have a payment. */
  people: readonly string[];
};

/** The filters of the list: days and statuses as links, those in use, and the rest as a form. */
export function FilterBar({ texts, sums, scope, ...choices }: FilterBarProps) {
  const { from: _, to: __, when, ...untimed } = texts;
  const { status, ...others } = texts;
  const used = filteredBy(texts, nameValue);
  const isOpen = used.filter(({ names }) => names[0] !== 'when' && names[0] !== 'status');
  const hasTime = when !== undefined || texts.from !== undefined || texts.to !== undefined;
  return (
    <div class="stack tight filters">
      <div class="line">
        <nav class="choices" aria-label="Days">
          <Choice href={listPath(untimed)} isCurrent={!hasTime}>
            Any day
          </Choice>
          {timePresets.map((preset) => (
            <Choice href={listPath({ ...untimed, when: preset })} isCurrent={when === preset}>
              {presetWords[preset]}
            </Choice>
          ))}
        </nav>
        <nav class="choices" aria-label="Status">
          <Choice href={listPath(others)} isCurrent={status === undefined}>
            All {sums && <small>{addUp(sums.statuses).total}</small>}
          </Choice>
          {groups.map((group) => (
            <Choice href={listPath({ ...others, status: group.filter })} isCurrent={status === group.filter}>
              {group.words}{' '}
              {sums && <small>{addUp(sums.statuses.filter((one) => groupOf(one) === group)).total}</small>}
            </Choice>
          ))}
        </nav>
      </div>
      <div class="line">
        <details class="drop">
          <summary class="button">
            <Icon name="funnel" />
            Filters
            {isOpen.length > 0 && (
              <span class="count">
                {isOpen.length}
                <span class="unseen"> in use</span>
              </span>
            )}
          </summary>
          <FilterForm {...{ texts, scope, ...choices }} />
        </details>
        <UsedFilters used={used} texts={texts} />
      </div>
    </div>
  );
}

function Choice({ href, isCurrent, children }: { href: string; isCurrent: boolean; children: Child }) {
  return (
    <a href={href} aria-current={isCurrent ? 'true' : undefined}>
      {children}
    </a>
  );
}

function nameValue(name: FilterName, value: string): string {
  if (name === 'reason') return nameReason(value);
  return name === 'network' ? nameNetwork(value) : value;
}

/** The filters in use. Each one is a link to the list without it. */
function UsedFilters({ used, texts }: { used: readonly UsedFilter[]; texts: FilterTexts }) {
  const removable = used.filter(({ names }) => names[0] !== 'when' && names[0] !== 'status');
  const isGroup = statusGroups.some((one) => one === texts.status) || texts.status === 'paid';
  const status =
    texts.status === undefined || isGroup ? [] : used.filter(({ names }) => names[0] === 'status');
  if (removable.length + status.length === 0) return null;
  return (
    <ul class="choices" aria-label="Filters in use">
      {[...status, ...removable].map(({ words, names }) => {
        const rest = Object.fromEntries(
          Object.entries(texts).filter(([name]) => !names.some((one) => one === name)),
        );
        return (
          <li>
            <a href={listPath(rest)}>
              {words} <Icon name="x" />
              <span class="unseen"> remove</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

type FilterFormProps = Omit<FilterBarProps, 'sums'>;

type Choices = readonly (readonly [value: string, words: string])[];

/** Longer lists are typed. */
const maxChoices = 100;

function FilterForm({ texts, scope, merchants, channels, people }: FilterFormProps) {
  const [from, fromTime] = splitMoment(texts.from);
  const [to, toTime] = splitMoment(texts.to);
  const same = (values: readonly string[]) => values.map((value) => [value, value] as const);
  const networks = operators
    .filter((one) => one !== 'unknown')
    .map((one) => [one, operatorTitles[one]] as const);
  const named = [...reasons]
    .map((one) => [one, nameReason(one)] as const)
    .sort(([, one], [, other]) => (one < other ? -1 : 1));
  return (
    <form class="card form" method="get" action={paymentsPath}>
      {texts.status !== undefined && <input type="hidden" name="status" value={texts.status} />}
      <div class="fields">
        <Field name="from" label="First day" type="date" value={from} />
        <Field name="to" label="Last day" type="date" value={to} />
        <fieldset class="field">
          <legend>Time of day</legend>
          <div class="pair">
            <Pair name="fromTime" label="From" value={fromTime} placeholder="08:00" inputmode="numeric" />
            <span>to</span>
            <Pair name="toTime" label="To" value={toTime} placeholder="12:30" inputmode="numeric" />
          </div>
        </fieldset>
        <fieldset class="field">
          <legend>Amount, GHS</legend>
          <div class="pair">
            <Pair name="min" label="At least" value={texts.min} placeholder="20.00" inputmode="decimal" />
            <span>to</span>
            <Pair name="max" label="At most" value={texts.max} placeholder="50.00" inputmode="decimal" />
          </div>
        </fieldset>
        <Choose name="network" label="Network" value={texts.network} choices={networks} />
        {hasFilter(scope, 'merchant') && (
          <Choose name="merchant" label="Merchant" value={texts.merchant} choices={same(merchants)} />
        )}
        <Choose name="channel" label="Channel" value={texts.channel} choices={same(channels)} />
        <Choose name="reason" label="Reason" value={texts.reason} choices={named} />
        {hasFilter(scope, 'assigned') && (
          <Choose name="assigned" label="Taken by" value={texts.assigned} choices={same(people)} />
        )}
        <Field name="last4" label="Last four digits" value={texts.last4} inputmode="numeric" maxlength={4} />
      </div>
      <small>An amount is compared with the price, and with the total that the payer is charged.</small>
      <div class="line">
        <Submit>Show payments</Submit>
        {Object.keys(texts).length > 0 && (
          <a class="button quiet" href={paymentsPath}>
            Clear all filters
          </a>
        )}
      </div>
    </form>
  );
}

function splitMoment(text = ''): [day: string, time: string | undefined] {
  const [day = '', time] = text.split('T');
  return [day, time];
}

type FieldProps = {
  name: string;
  label: string;
  value: string | undefined;
  type?: 'text' | 'date';
  maxlength?: number;
  inputmode?: 'numeric' | 'decimal';
  placeholder?: string;
};

function Field({ label, value = '', type = 'text', ...input }: FieldProps) {
  const id = `filter-${input.name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input maxlength={64} {...input} id={id} type={type} value={value} autocomplete="off" />
    </div>
  );
}

function Pair({ label, value = '', ...input }: FieldProps) {
  return <input maxlength={16} {...input} aria-label={label} value={value} autocomplete="off" />;
}

type ChooseProps = { name: string; label: string; value: string | undefined; choices: Choices };

/** A choice of values; a field to type in when there are many or none. */
function Choose({ name, label, value, choices }: ChooseProps) {
  if (choices.length === 0 || choices.length > maxChoices) return <Field {...{ name, label, value }} />;
  const isKnown = value === undefined || choices.some(([one]) => one === value);
  const all = isKnown ? choices : [...choices, [value, value] as const];
  const id = `filter-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        <option value="">Any</option>
        {all.map(([one, words]) => (
          <option value={one} selected={one === value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}
