import type { Clock } from '../../../shared/clock.ts';
import { messageOf } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { accountActionWrite } from '../../accounts/account-action.ts';
import type { AccountDeps } from '../../accounts/deps.ts';
import type { Person } from '../../accounts/session.ts';
import { type ConsoleCall, type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import type { ConsoleReader } from '../reader.ts';
import { wholeNumberExporters } from '../roles.ts';
import { filterFault, scopeOf } from '../scope.ts';
import { type ExportNumbers, exportNumbers } from './export-lines.ts';
import type { Exported } from './export-query.ts';
import { createExportStream, type ExportEnd } from './export-stream.ts';
import { queryOf } from './filter.ts';
import { type ListAddress, readListAddress } from './list-address.ts';

export type ExportDeps = {
  reader: Pick<ConsoleReader, 'measureExport' | 'exportPart'>;
  accounts: Pick<AccountDeps, 'accounts' | 'clock' | 'livemode'>;
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  log: Log;
  /** The payments of one file; `maxExportRows` by default. */
  maxRows?: number;
  /** The payments that are read at once; 250 by default. */
  partRows?: number;
};

/** The paths of a list as a file, with masked numbers, and with whole ones for a person who may export them. */
export type ExportPaths = { masked: string; whole: string | undefined };

/** The payments of one file. */
export const maxExportRows = 200_000;

/** The exports of all people that run at once. */
const maxExports = 4;

export function exportPath(
  { role }: Pick<Person, 'role'>,
  query: Readonly<Record<string, string | undefined>>,
): ExportPaths {
  const pathOf = (numbers: ExportNumbers) => `/console/export.csv${queryOf({ ...query, numbers })}`;
  return {
    masked: pathOf('masked'),
    whole: wholeNumberExporters.includes(role) ? pathOf('whole') : undefined,
  };
}

/** Returns the route of a list as a file. Each export is two rows of the audit trail: one before its first line, one at its end. */
export function exportRoutes(deps: ExportDeps): ConsoleRoute[] {
  const { reader, accounts, clock, log, maxRows = maxExportRows, partRows = 250 } = deps;
  let running = 0;

  async function record(person: Person, action: 'start_export' | 'export', more: Recorded): Promise<void> {
    const { accountId: id, name, merchantId } = person;
    const account = { id, name, merchantId };
    const { result, ...detail } = more;
    const one = { actor: name, action, account, detail, ...(result && { result }) };
    await accounts.accounts.apply([
      accountActionWrite(one, { livemode: accounts.livemode, now: accounts.clock.now() }),
    ]);
  }

  async function exportList({ c, person, show }: ConsoleCall<Person>): Promise<Response> {
    const { after: _, numbers: wanted = 'masked', ...filter } = c.req.query();
    const address = readListAddress(filter);
    const numbers = exportNumbers.find((one) => one === wanted);
    if (address.kind === 'invalid') return show(messagePage(address.message, 422));
    const scope = scopeOf(person);
    const fault = address.kind === 'filter' ? filterFault(scope, address.texts) : undefined;
    if (fault !== undefined) return show(messagePage(fault, 422));
    if (!numbers) return show(messagePage(`numbers: expected ${exportNumbers.join(' or ')}.`, 422));
    const asked = { filter: 'term' in address ? { q: address.term } : address.texts, numbers };
    const refusal = refusalOf(person, numbers, running);
    if (refusal) {
      await record(person, 'export', { ...asked, result: 'refused', reason: refusal.reason });
      return show(messagePage(refusal.text, refusal.status));
    }
    if (c.req.method === 'HEAD') return c.body(null, 200, headersOf(accounts.clock.now()));

    // Before the first wait, so that requests at the same time count each other.
    running += 1;
    try {
      const extent = await reader.measureExport(scope, exportedBy(address));
      await record(person, 'start_export', { ...asked, payments: extent.total });
      const stream = createExportStream({
        ...{ extent, maxRows, partRows, clock },
        read: (page) => reader.exportPart(scope, extent, { ...page, numbers }),
        async onEnd(end) {
          running -= 1;
          await record(person, 'export', { ...asked, ...end });
        },
        onFault: (fault) => log.error({ actor: person.name, fault: messageOf(fault) }, 'an export broke off'),
      });
      return c.body(stream, 200, headersOf(accounts.clock.now()));
    } catch (fault) {
      running -= 1;
      throw fault;
    }
  }

  return [defineRoute('GET /export.csv', exportList)];
}

function exportedBy(address: Exclude<ListAddress, { kind: 'invalid' }>): Exported {
  return address.kind === 'term' ? { term: address.term } : { filter: address.filter };
}

type Recorded = {
  filter: Readonly<Record<string, string>>;
  numbers: ExportNumbers;
  payments?: number;
  result?: 'refused';
  reason?: string;
} & Partial<ExportEnd>;

type Refusal = { reason: string; text: string; status: 403 | 503 };

function refusalOf({ role }: Person, numbers: ExportNumbers, running: number): Refusal | undefined {
  if (numbers === 'whole' && !wholeNumberExporters.includes(role)) {
    const text = `The role ${role} may not export whole numbers.`;
    return { reason: 'whole_numbers', text, status: 403 };
  }
  if (running < maxExports) return undefined;
  return { reason: 'too_many', text: `${maxExports} exports are running. Try again later.`, status: 503 };
}

function headersOf(now: number): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="payments-${new Date(now).toISOString().slice(0, 10)}.csv"`,
  };
}

function messagePage(text: string, status: NonNullable<PageContent['status']>): PageContent {
  return { title: 'Export', body: <Message text={text} />, status };
}
