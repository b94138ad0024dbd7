import type { Person } from '../../access/actor.ts';
import { type ConsoleCall, type ConsoleRoute, defineRoute } from '../define-route.ts';
import type { ConsoleReader } from '../reads.ts';
import { filterFault, scopeOf } from '../scope.ts';
import { type ExportNumbers, exportHead, exportNumbers } from './export-lines.ts';
import type { ExportExtent, Exported } from './export-query.ts';
import { type Exporter, exportableNumbers, exportMessage, readNumbers } from './exporter.tsx';
import { queryOf } from './filter.ts';
import { type ListAddress, readListAddress } from './list-address.ts';

export type ExportDeps = {
  reader: ConsoleReader;
  exporter: Exporter;
};

/** The paths of a list as a file, with masked numbers, and with whole ones for a person who may export them. */
export type ExportPaths = { masked: string; whole: string | undefined };

export function exportPath(
  person: Person,
  query: Readonly<Record<string, string | undefined>>,
  path = '/console/export.csv',
): ExportPaths {
  const pathOf = (numbers: ExportNumbers) => `${path}${queryOf({ ...query, numbers })}`;
  return {
    masked: pathOf('masked'),
    whole: exportableNumbers(person).includes('whole') ? pathOf('whole') : undefined,
  };
}

/** Returns the route of a list as a file. */
export function exportRoutes({ reader, exporter }: ExportDeps): ConsoleRoute[] {
  async function exportList(call: ConsoleCall<Person>): Promise<Response> {
    const { c, person, show } = call;
    const { after: _, numbers: wanted, ...filter } = c.req.query();
    const address = readListAddress(filter);
    const numbers = readNumbers(wanted);
    if (address.kind === 'invalid') return show(exportMessage(address.message, 422));
    const scope = scopeOf(person);
    const fault = address.kind === 'filter' ? filterFault(scope, address.texts) : undefined;
    if (fault !== undefined) return show(exportMessage(fault, 422));
    if (!numbers) return show(exportMessage(`numbers: expected ${exportNumbers.join(' or ')}.`, 422));
    return exporter(call, {
      name: 'payments',
      filter: 'term' in address ? { q: address.term } : address.texts,
      numbers,
      async open() {
        const extent = await reader.by(person).measureExport(scope, exportedBy(address));
        return {
          total: extent.total,
          head: exportHead(),
          notesOf: (rows, isCut) => notesOf(extent, rows, isCut),
          read: (page) => reader.by(person).exportPart(scope, extent, { ...page, numbers }),
        };
      },
    });
  }

  return [defineRoute('GET /export.csv', exportList)];
}

function exportedBy(address: Exclude<ListAddress, { kind: 'invalid' }>): Exported {
  return address.kind === 'term' ? { term: address.term } : { filter: address.filter };
}

/** Returns what a file of payments does not contain; nothing for a whole ledger. */
export function notesOf(
  { total, notSearched }: Pick<ExportExtent, 'total' | 'notSearched'>,
  rows: number,
  isCut: boolean,
): string[] {
  return [
    ...(isCut ? [`cut after the newest ${rows} of ${total} payments: export shorter spans of time`] : []),
    ...(notSearched > 0 ? [`${notSearched} older payments were not searched: set the first day`] : []),
  ];
}
