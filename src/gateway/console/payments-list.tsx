import type { Child } from 'hono/jsx';
import { nameNetwork } from '../../shared/msisdn.ts';
import { Icon } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import { type CollectionRow, openStatuses } from '../collection/collection.ts';
import { type FilterName, type FilterTexts, timePresets } from '../support/filter-text.ts';
import type { ListSums } from '../support/list-query.ts';
import { addUp, type StatusSum } from '../support/page-query.ts';
import { nameReason } from '../support/playbook/playbook-row.ts';
import { type StatusFilter, statusGroups } from '../support/selection-query.ts';
import { Card, Chip } from './parts/card.tsx';
import { showAmount, showNumber, type Tone } from './parts/format.ts';
import { TableHead } from './parts/table.tsx';
import { filteredBy, listPath, presetWords, type UsedFilter } from './payments-filter.ts';
import { FilterForm, type FilterFormProps } from './payments-filter-form.tsx';

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

type FilterBarProps = FilterFormProps & { sums: ListSums | undefined };

/** The filters of the list: days and statuses as links, those in use, and the rest as a form. */
export function FilterBar({ texts, sums, ...form }: FilterBarProps) {
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
        <details class="drop" open={form.fault?.field !== undefined}>
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
          <FilterForm texts={texts} {...form} />
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
