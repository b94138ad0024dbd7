import type { Clock } from '../../../shared/clock.ts';
import { messageOf } from '../../../shared/errors.ts';
import { InFlightLimit } from '../../../shared/limits/in-flight-limit.ts';
import type { Log } from '../../../shared/log.ts';
import { ActionRefused } from '../../access/action-store.ts';
import type { Person } from '../../access/actor.ts';
import { can } from '../../access/permissions.ts';
import { accountActionWrite } from '../../accounts/account-action.ts';
import type { AccountDeps } from '../../accounts/deps.ts';
import type { ConsoleCall, PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
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

/** The exports of one person and of all people that run at once. */
const maxExports = { perKey: 2, total: 8 } as const;

/** Reads which numbers a file is to have; undefined for any other text. */
export function readNumbers(wanted = 'masked'): ExportNumbers | undefined {
  return exportNumbers.find((one) => one === wanted);
}

/** The numbers that people with a role may export. */
export function exportableNumbers(person: Person): readonly ExportNumbers[] {
  return can(person, 'numbers.export') ? exportNumbers : ['masked'];
}

/**
 * Creates the function that exports files, at most two of a person at once. Each export is two rows of the audit trail: one before its first
 * line, one at its end. It breaks off at the first part at whose end the person has no access any more.
 */
export function createExporter({ accounts, clock, log }: ExporterDeps): Exporter {
  const running = new InFlightLimit(maxExports);

  async function record(person: Person, action: 'start_export' | 'export', more: Recorded): Promise<void> {
    const { accountId: id, name, merchantId } = person;
    const account = { id, name, merchantId };
    const { result, ...detail } = more;
    // The end of a file is recorded also when the access of its person has ended.
    const actor = action === 'start_export' ? person : name;
    const one = { actor, action, account, detail, ...(result && { result }) };
    await accounts.accounts.apply([
      accountActionWrite(one, { livemode: accounts.livemode, now: accounts.clock.now() }),
    ]);
  }

  return async ({ c, person, show }, { name, filter, numbers, open }) => {
    const asked = { ...(name === 'payments' ? {} : { of: name }), filter, numbers };
    const isAllowed = exportableNumbers(person).includes(numbers);
    const isHead = c.req.method === 'HEAD';
    // Before the first wait, so that requests at the same time count each other.
    const refusal = !isAllowed
      ? wholeNumbers(person)
      : isHead || running.tryAcquire(person.accountId)
        ? undefined
        : tooMany;
    if (refusal) {
      await record(person, 'export', { ...asked, result: 'refused', reason: refusal.reason });
      return show(exportMessage(refusal.text, refusal.status));
    }
    const headers = headersOf(name, accounts.clock.now());
    if (isHead) return c.body(null, 200, headers);

    try {
      const { total, read, ...content } = await open();
      await record(person, 'start_export', { ...asked, ...(total !== undefined && { payments: total }) });
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
            await record(person, 'export', { ...asked, ...end });
          } catch (fault) {
            if (!(fault instanceof ActionRefused)) throw fault;
            log.warn({ actor: person.name, ...end }, 'the end of an export was not recorded');
          }
        },
        onFault: (fault) => log.error({ actor: person.name, fault: messageOf(fault) }, 'an export broke off'),
      });
      return c.body(stream, 200, headers);
    } catch (fault) {
      running.release(person.accountId);
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

const wholeNumbers = ({ role }: Person): Refusal => ({
  ...{ reason: 'whole_numbers', status: 403 },
  text: `The role ${role} may not export whole numbers.`,
});

const tooMany: Refusal = {
  ...{ reason: 'too_many', status: 503 },
  text: `${maxExports.perKey} exports of yours, or ${maxExports.total} of all people, are running. Try again later.`,
};

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
