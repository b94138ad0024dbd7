import type { Clock } from '../../../shared/clock.ts';
import { messageOf } from '../../../shared/errors.ts';
import type { Log } from '../../../shared/log.ts';
import { accountActionWrite } from '../../accounts/account-action.ts';
import type { AccountDeps } from '../../accounts/deps.ts';
import type { Person } from '../../accounts/session.ts';
import type { ConsoleCall, PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import { wholeNumberExporters } from '../roles.ts';
import { type ExportNumbers, exportNumbers } from './export-lines.ts';
import { createExportStream, type ExportEnd, type ExportStreamOptions } from './export-stream.ts';

export type ExporterDeps = {
  accounts: Pick<AccountDeps, 'accounts' | 'clock' | 'livemode'>;
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  log: Log;
};

/** The content of a file, once it is known to be exported. `total`: its rows, where they are known before. */
export type ExportContent = Pick<ExportStreamOptions, 'head' | 'notesOf' | 'read'> & { total?: number };

/** A file that a person asks for. */
export type ExportFile = {
  /** The beginning of its name. */
  name: 'payments' | 'bookings' | 'audit';
  /** What the audit trail says of it. */
  filter: Readonly<Record<string, string>>;
  numbers: ExportNumbers;
  open(): Promise<ExportContent>;
};

/** Answers with a file. */
export type Exporter = (call: ConsoleCall<Person>, file: ExportFile) => Promise<Response>;

/** The rows of one file. */
export const maxExportRows = 200_000;

/** The rows that are read at once. */
const partRows = 250;

/** The exports of all people that run at once. */
const maxExports = 4;

/** Reads which numbers a file is to have; undefined for any other text. */
export function readNumbers(wanted = 'masked'): ExportNumbers | undefined {
  return exportNumbers.find((one) => one === wanted);
}

/** The numbers that people with a role may export. */
export function exportableNumbers({ role }: Pick<Person, 'role'>): readonly ExportNumbers[] {
  return wholeNumberExporters.includes(role) ? exportNumbers : ['masked'];
}

/**
 * Creates the function that exports files, at most four at once. Each export is two rows of the audit trail: one before its first
 * line, one at its end.
 */
export function createExporter({ accounts, clock, log }: ExporterDeps): Exporter {
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

  return async ({ c, person, show }, { name, filter, numbers, open }) => {
    const asked = { ...(name === 'payments' ? {} : { of: name }), filter, numbers };
    const refusal = refusalOf(person, numbers, running);
    if (refusal) {
      await record(person, 'export', { ...asked, result: 'refused', reason: refusal.reason });
      return show(exportMessage(refusal.text, refusal.status));
    }
    const headers = headersOf(name, accounts.clock.now());
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);

    // Before the first wait, so that requests at the same time count each other.
    running += 1;
    try {
      const { total, ...content } = await open();
      await record(person, 'start_export', { ...asked, ...(total !== undefined && { payments: total }) });
      const stream = createExportStream({
        ...{ ...content, maxRows: maxExportRows, partRows, clock },
        async onEnd(end) {
          running -= 1;
          await record(person, 'export', { ...asked, ...end });
        },
        onFault: (fault) => log.error({ actor: person.name, fault: messageOf(fault) }, 'an export broke off'),
      });
      return c.body(stream, 200, headers);
    } catch (fault) {
      running -= 1;
      throw fault;
    }
  };
}

type Recorded = {
  of?: Exclude<ExportFile['name'], 'payments'>;
  filter: Readonly<Record<string, string>>;
  numbers: ExportNumbers;
  payments?: number;
  result?: 'refused';
  reason?: string;
} & Partial<ExportEnd>;

type Refusal = { reason: string; text: string; status: 403 | 503 };

function refusalOf(person: Person, numbers: ExportNumbers, running: number): Refusal | undefined {
  if (!exportableNumbers(person).includes(numbers)) {
    const text = `The role ${person.role} may not export whole numbers.`;
    return { reason: 'whole_numbers', text, status: 403 };
  }
  if (running < maxExports) return undefined;
  return { reason: 'too_many', text: `${maxExports} exports are running. Try again later.`, status: 503 };
}

function headersOf(name: ExportFile['name'], now: number): Record<string, string> {
  return {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}-${new Date(now).toISOString().slice(0, 10)}.csv"`,
  };
}

/** Returns the page that says why there is no file. */
export function exportMessage(text: string, status: NonNullable<PageContent['status']>): PageContent {
  return { title: 'Export', body: <Message text={text} />, status };
}
