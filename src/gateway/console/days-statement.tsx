import type { DayStatementView, DifferenceView } from '../../contract/staff/statement.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { plural } from '../../shared/plural.ts';
import { maxStatementBytes, maxStatementLines } from '../service-statement/read-statement.ts';
import type { DayRow } from './days-query.ts';
import type { FormInput } from './define-route.ts';
import { Card } from './parts/card.tsx';
import { AsTable, ChartKey, Plot, showCount } from './parts/charts.tsx';
import { showNumber } from './parts/format.ts';
import { FormBehind, Options, typedText } from './parts/forms.tsx';
import { paymentPath, TableHead } from './parts/table.tsx';

/** The prefix of the fields that choose differences. */
const chosen = 'explain.';

/** Returns the differences that a form has chosen. */
export function readChosen(fields: FormInput): string[] {
  return Object.keys(fields).flatMap((name) => (name.startsWith(chosen) ? [name.slice(chosen.length)] : []));
}

type DifferencesProps = {
  statement: DayStatementView;
  canExplain: boolean;
  /** The fields of the form that was refused. */
  typed: FormInput | undefined;
  moment(at: EpochMs): string;
};

/** The differences between books and statement of a merchant, with the form that explains those without an explanation. */
export function Differences({ statement, canExplain, typed, moment }: DifferencesProps) {
  const { merchantId, date, differences, different, unexplained, isCut, sessions, ofOthers } = statement;
  // The file is probably that of another merchant: no difference is chosen for a person.
  const isOfOthers = sessions === 0 && ofOthers > 0;
  const hasForm = canExplain && unexplained > 0;
  const ownTyped = typed?.merchant === merchantId ? typed : undefined;
  const id = `diff-${merchantId}`;
  const formId = `explain-${merchantId}`;
  const textId = `${formId}-text`;
  const table = (
    <table class="list">
      <TableHead columns={['Session', ['Statement', 'n'], ['Books', 'n'], 'Why']} />
      <tbody>
        {differences.map((one) => (
          <tr>
            <td class="first">
              <SessionCell one={one} form={hasForm ? formId : undefined} isChosen={!isOfOthers} />
            </td>
            <td class="n sum">{showNumber(one.statement?.totalMinor)}</td>
            <td class="n rest" data-label="books">
              {showNumber(one.books?.totalMinor)}
            </td>
            <td class="rest full">
              {one.why}
              {one.explanation && (
                <>
                  {' '}
                  <b>
                    {one.explanation.actor}, {moment(Date.parse(one.explanation.at))}:
                  </b>{' '}
                  {one.explanation.text}
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
  return (
    <Card
      id={id}
      title={`${different === 1 ? 'The difference' : 'The differences'} of ${merchantId}`}
      kind="wide"
      aside={
        <p class="muted small">
          {unexplained === 0
            ? 'Each one is explained.'
            : `${plural(unexplained, 'difference')} without an explanation.`}
          {ofOthers > 0 && ` Not compared: ${plural(ofOthers, 'payment')} of other merchants or channels.`}
          {isOfOthers && ' Is it the statement of this merchant?'}
          {isCut && ` The first ${differences.length} are shown: “dialtill statement list” lists more.`}
        </p>
      }
    >
      {table}
      {hasForm && (
        <form
          id={formId}
          class="card-foot form actions"
          method="post"
          action={`/console/days/${date}/differences`}
        >
          <input type="hidden" name="merchant" value={merchantId} />
          <div class="field">
            <label for={textId}>Explanation</label>
            <input
              id={textId}
              name="text"
              required
              maxlength={1_000}
              autocomplete="off"
              value={typedText(ownTyped, 'text') || suggestText(differences)}
              aria-describedby={`${textId}-hint`}
            />
            <small id={`${textId}-hint`}>
              Stands beside the chosen differences in the books of the day, and in the audit.
            </small>
          </div>
          <button type="submit">Accept the chosen differences</button>
        </form>
      )}
    </Card>
  );
}

/** Returns an explanation that fits all open differences; nothing when none does. */
function suggestText(differences: readonly DifferenceView[]): string {
  const open = differences.filter(({ explanation }) => explanation === null);
  return open.every(({ kind }) => kind === 'later_day')
    ? 'Opened before midnight and paid after it: both days are right.'
    : '';
}

type SessionCellProps = { one: DifferenceView; form: string | undefined; isChosen: boolean };

/** The session of a difference, with its choice in a form while it has no explanation. */
function SessionCell({ one, form, isChosen }: SessionCellProps) {
  const { collectionId, explanation } = one;
  const name = <code>{one.sessionId ?? collectionId}</code>;
  const id = `${chosen}${one.id}`;
  return (
    <>
      {form !== undefined && explanation === null && (
        <>
          <input
            type="checkbox"
            form={form}
            id={id}
            name={id}
            checked={isChosen}
            aria-label={`Explain ${one.sessionId ?? collectionId}`}
          />{' '}
        </>
      )}
      {collectionId === null ? name : <a href={paymentPath(collectionId)}>{name}</a>}
    </>
  );
}

type ImportProps = {
  date: string;
  merchantIds: readonly string[];
  typed: FormInput | undefined;
  isFirst: boolean;
};

/** The form that reads the statement of a merchant from a file. */
export function StatementImport({ date, merchantIds, typed, isFirst }: ImportProps) {
  const [only = '', ...others] = merchantIds;
  const form = (
    <form class="form" method="post" enctype="multipart/form-data" action={`/console/days/${date}/statement`}>
      {others.length === 0 ? (
        <input type="hidden" name="merchant" value={only} />
      ) : (
        <div class="field">
          <label for="statement-merchant">Merchant</label>
          <select id="statement-merchant" name="merchant">
            <Options choices={merchantIds.map((id) => [id] as const)} value={typed?.merchant} />
          </select>
        </div>
      )}
      <div class="field">
        <label for="statement-file">Statement of the service, as CSV</label>
        <input
          id="statement-file"
          name="file"
          type="file"
          accept=".csv,text/csv"
          required
          aria-describedby="statement-hint"
        />
        <small id="statement-hint">
          At most {maxStatementBytes / 1024 / 1024} MiB and {showCount(maxStatementLines)} lines. “dialtill
          service statement {date}” prints that of a sandbox.
        </small>
      </div>
      <button type="submit">Import the statement</button>
    </form>
  );
  return isFirst ? (
    <Card id="import" title="Import the statement">
      {form}
    </Card>
  ) : (
    <FormBehind text="Import another statement" icon="receive">
      {form}
    </FormBehind>
  );
}

/** The money of the last days as bars, with a table of the same. */
export function DaysChart({ days, isOwn }: { days: readonly DayRow[]; isOwn: boolean }) {
  const rows = days.toReversed();
  const title = `${isOwn ? 'Booked for you' : 'Received'} in the last ${rows.length} days`;
  const isClosed = ({ merchants, closed }: DayRow) => merchants > 0 && closed === merchants;
  const cedis = ({ receivedMinor }: DayRow) => receivedMinor / 100;
  return (
    <figure class="card">
      <figcaption>
        <h2>{title}</h2>
        <p class="muted small">GHS per day, when it was booked. The grey days are not closed.</p>
      </figcaption>
      <Plot
        label={`${title}. The table below has the numbers.`}
        bars={rows.map((row) => (isClosed(row) ? [cedis(row), 0] : [0, cedis(row)]))}
        // On a narrow screen there is room for every second one.
        labels={rows.map(({ date }, at) =>
          (rows.length - at) % 2 === 1 ? String(Number(date.slice(8))) : '',
        )}
      />
      <ChartKey
        items={[
          ['s1', 'Closed'],
          ['s2', 'Not closed'],
        ]}
      />
      <AsTable
        caption={title}
        head={['Day', 'GHS', 'Closed']}
        rows={rows.map((row) => [
          row.date,
          showNumber(row.receivedMinor),
          isClosed(row) ? 'yes' : row.merchants === 0 ? '–' : 'no',
        ])}
      />
    </figure>
  );
}
