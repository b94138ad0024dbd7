import { staffText } from '../../../contract/staff/staff.ts';
import type { RouteName } from '../../../kit/define-route.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { ActionRefused } from '../../access/action-store.ts';
import { can, type Permission, type Person } from '../../access/permissions.ts';
import { recordAccountAction } from '../../accounts/account-action.ts';
import { readDay } from '../../ledger/day.ts';
import { getPath } from '../browser.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  type ConsoleRoute,
  defineConsoleRoute,
  type PageContent,
} from '../define-route.ts';
import {
  createExportStream,
  type ExportEnd,
  type ExportNumbers,
  type ExportStreamOptions,
  exportNumbers,
} from './export-stream.ts';
import { type ListQuery, toQuery } from './format.ts';
import { ButtonLink, Submit, TextInput } from './forms.tsx';

/** The content of a file, once it is known to be exported. `total`: its rows, where they are known before. */
type ExportContent = Pick<ExportStreamOptions, 'head' | 'notesOf' | 'read'> & { total?: number };

/** A list as a file. */
type ExportFile = {
  /** The beginning of its name. */
  name: 'payments' | 'bookings' | 'audit';
  /** The filter in the audit trail. */
  filter: Readonly<Record<string, string>>;
  /** Its numbers are masked for every role. */
  isMasked?: true;
  open(numbers: ExportNumbers): Promise<ExportContent>;
};

/** The rows of one file. */
const maxExportRows = 200_000;

/** The rows that are read at once. */
const partRows = 250;

/** The exports of one person and of all people that run at once. */
export const maxExports = { perKey: 2, total: 8 } as const;

/** Returns the file that a request asks for, or the page with the reason why there is none. */
export type ReadFile = (
  call: ConsoleCall,
  context: ConsoleContext,
) => ExportFile | PageContent | Promise<ExportFile | PageContent>;

/**
 * Declares the route of a list as a file of CSV, with masked numbers. Each export is two rows of the audit trail: one before its first
 * line, one at its end.
 *
 * @param read returns the file that a request asks for, or the page with the reason why there is none.
 */
export function exportRoute(name: `GET ${string}`, needs: Permission, read: ReadFile): ConsoleRoute {
  return defineConsoleRoute(name as RouteName, { needs }, async (call, context) => {
    const { c, person, query, show } = call;
    const file = await read(call, context);
    if ('title' in file) return show(file);
    const { numbers: asked = 'masked', ...filter } = file.isMasked ? {} : query;
    const numbers = exportNumbers.find((one) => one === asked);
    if (!numbers) return show(noExport(`numbers: expected ${exportNumbers.join(' or ')}.`));
    if (numbers === 'whole' && exportableNumbers(person).includes('whole'))
      return c.redirect(wholePath(getPath(c), filter), 303);
    return send(call, context, file, { numbers });
  });
}

/** Routes of a list with whole numbers: a page that asks for the reason, and the file. Both need the password and a code. */
export function wholeExportRoutes(fileName: `GET ${string}`, read: ReadFile): ConsoleRoute[] {
  const [, path = ''] = wholePath(fileName, {}).split(' ');
  const audience = { needs: 'numbers.export', isConfirmed: true } as const;
  return [
    defineConsoleRoute(`GET ${path}` as RouteName, audience, async (call, context) => {
      const file = await read(call, context);
      return call.show('title' in file ? file : reasonPage(call));
    }),
    defineConsoleRoute(`POST ${path}` as RouteName, audience, async (call, context) => {
      const file = await read(call, context);
      if ('title' in file) return call.show(file);
      const reason = staffText.safeParse(call.fields.reason ?? '');
      if (!reason.success)
        return call.show({
          ...reasonPage(call),
          message: 'The file needs a reason: who asks for it, and why.',
        });
      // The audit keeps its rows for ever: a number that a person types does not get into it.
      return send(call, context, file, { numbers: 'whole', reason: maskNumbers(reason.data) });
    }),
  ];
}

/** Returns the path of the page that asks for the reason: `/export` for `/export.csv`. */
function wholePath(filePath: string, filter: ListQuery): string {
  return `${filePath.replace(/\/\w+\.csv$/, '/export')}${toQuery(filter)}`;
}

function reasonPage({ c, query }: ConsoleCall): PageContent {
  const { search } = new URL(c.req.url);
  const filters = Object.entries(query).filter(([, value]) => value !== '');
  const body = (
    <section class="card">
      <p>
        The file has the whole number of every payer of the list. The audit keeps your name, the filters, the
        reason, and the number of rows.
      </p>
      <p>
        <b>
          {filters.length === 0
            ? 'Every row: the list has no filter.'
            : `Only: ${filters.map((one) => one.join(' ')).join(', ')}.`}
        </b>
      </p>
      <form class="form" method="post" action={`${getPath(c)}${search}`}>
        <TextInput id="reason" label="Reason: who asks for the numbers, and why" required />
        <Submit>Export the whole numbers</Submit>
      </form>
    </section>
  );
  return { title: 'Export with whole numbers', body };
}

async function send(
  { c, person, show }: ConsoleCall,
  context: ConsoleContext,
  { name, filter, open }: ExportFile,
  { numbers, reason }: { numbers: ExportNumbers; reason?: string },
): Promise<Response> {
  const { accounts, exports: running, clock, log } = context;
  const asked = { ...(name === 'payments' ? {} : { of: name }), filter, numbers };
  const isHead = c.req.method === 'HEAD';
  // Before the first wait, so that requests at the same time count each other.
  const refusal = !exportableNumbers(person).includes(numbers)
    ? wholeNumbers(person)
    : isHead || running.tryAcquire(person.accountId)
      ? undefined
      : tooMany;
  if (refusal) {
    const { text, status } = refusal;
    const detail = { ...asked, reason: refusal.reason };
    await record(context, person, { action: 'export', result: 'refused', detail });
    return show(noExport(text, status));
  }
  const headers = toHeaders(name, getDay(filter) ?? toDate(clock.now()));
  if (isHead) return c.body(null, 200, headers);

  try {
    const { total, read, ...content } = await open(numbers);
    const detail = {
      ...asked,
      ...(reason !== undefined && { reason }),
      ...(total !== undefined && { payments: total }),
    };
    await record(context, person, { action: 'start_export', detail });
    const stream = createExportStream({
      ...{ ...content, maxRows: maxExportRows, partRows, clock },
      async read(page) {
        const part = await read(page);
        if (await accounts.accounts.isStillActor(person)) return part;
        throw new ActionRefused('actor');
      },
      async onEnd(end) {
        running.release(person.accountId);
        try {
          await record(context, person, { action: 'export', detail: { ...asked, ...end } });
        } catch (fault) {
          if (!(fault instanceof ActionRefused)) throw fault;
          log.warn({ actor: person.name, ...end }, 'the end of an export was not recorded');
        }
      },
      onFault: (fault) =>
        log.error({ actor: person.name, fault: errorMessage(fault) }, 'an export broke off'),
    });
    return c.body(stream, 200, headers);
  } catch (fault) {
    running.release(person.accountId);
    throw fault;
  }
}

type Recorded = {
  action: 'start_export' | 'export';
  result?: 'refused';
  detail: {
    of?: Exclude<ExportFile['name'], 'payments'>;
    filter: Readonly<Record<string, string>>;
    numbers: ExportNumbers;
    payments?: number;
    reason?: string;
  } & Partial<ExportEnd>;
};

async function record({ accounts }: ConsoleContext, person: Person, recorded: Recorded): Promise<void> {
  const { accountId: id, name, merchantId } = person;
  // The end of a file is recorded also when the access of its person has ended.
  const actor = recorded.action === 'start_export' ? person : name;
  await recordAccountAction(accounts, { actor, account: { id, name, merchantId }, ...recorded });
}

/** The numbers that people with a role may export. */
function exportableNumbers(person: Person): readonly ExportNumbers[] {
  return can(person, 'numbers.export') ? exportNumbers : ['masked'];
}

type Refusal = { reason: string; text: string; status: 403 | 503 };

const wholeNumbers = ({ role }: Person): Refusal => ({
  ...{ reason: 'whole_numbers', status: 403 },
  text: `The role ${role} may not export whole numbers.`,
});

const tooMany: Refusal = {
  ...{ reason: 'too_many', status: 503 },
  text: `${maxExports.perKey} exports of yours, or ${maxExports.total} of all people, are running. Try again later.`,
};

function toHeaders(name: ExportFile['name'], day: string): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}-${day}.csv"`,
  };
}

const toDate = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Returns the only day of a list; undefined for a list of several days. */
function getDay({ date, from, to }: ListQuery): string | undefined {
  const day = date ?? (from === to ? from : undefined);
  return day !== undefined && readDay(day) ? day : undefined;
}

/** Returns the page with the reason why there is no file. */
export function noExport(text: string, status: PageContent['status'] = 422): PageContent {
  return { title: 'Export', message: text, status };
}

/** The paths of a list as a file, with masked numbers, and with whole ones for a person who may export them. */
export type ExportPaths = { masked: string; whole?: string };

/** Returns the paths of a list as a file, with its filters. */
export function exportPaths(person: Person, path: string, query: ListQuery): ExportPaths {
  const getFilePath = (numbers: ExportNumbers) => `${path}${toQuery({ ...query, numbers })}`;
  const isWhole = exportableNumbers(person).includes('whole');
  return { masked: getFilePath('masked'), ...(isWhole && { whole: wholePath(path, query) }) };
}

/** The links to a list as a file. `total`: its payments, where they are counted. */
export function ExportLinks({
  paths: { masked, whole },
  total = 0,
}: {
  paths: ExportPaths;
  total?: number | undefined;
}) {
  return (
    <p class="line">
      <ButtonLink href={masked}>Export as CSV</ButtonLink>
      {whole !== undefined && (
        <a class="button quiet" href={whole}>
          Export with whole numbers
        </a>
      )}
      {total > maxExportRows && <small>A file has at most the newest {maxExportRows} payments.</small>}
    </p>
  );
}
