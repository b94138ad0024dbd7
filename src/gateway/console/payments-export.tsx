import { fileHead } from './parts/export-stream.ts';
import { exportRoute, noExport } from './parts/exports.tsx';
import { filterFault, type ListAddress, readListAddress } from './payments-filter.ts';
import { type ExportExtent, type Exported, paymentColumns } from './payments-query.ts';
import { getScope } from './scope.ts';

/** The route of the list of payments as a file. */
export const paymentsExportRoutes = [
  exportRoute('GET /export.csv', 'payments.read', ({ person, query, reads }) => {
    const { after: _, numbers: __, ...filter } = query;
    const address = readListAddress(filter);
    if (address.kind === 'invalid') return noExport(address.message);
    const scope = getScope(person);
    const fault = address.kind === 'filter' ? filterFault(scope, address.texts) : undefined;
    if (fault !== undefined) return noExport(fault);
    return {
      name: 'payments',
      filter: 'term' in address ? { q: address.term } : address.texts,
      async open(numbers) {
        const extent = await reads.measureExport(scope, exportedBy(address));
        return {
          total: extent.total,
          head: fileHead(paymentColumns),
          notesOf: (rows, isCut) => listNotes(extent, rows, isCut),
          read: (page) => reads.exportPart(scope, extent, { ...page, numbers }),
        };
      },
    };
  }),
];

function exportedBy(address: Exclude<ListAddress, { kind: 'invalid' }>): Exported {
  return address.kind === 'term' ? { term: address.term } : { filter: address.filter };
}

/** Returns what a file of payments does not contain; nothing for a whole ledger. */
export function listNotes(
  { total, notSearched }: Pick<ExportExtent, 'total' | 'notSearched'>,
  rows: number,
  isCut: boolean,
): string[] {
  return [
    ...(isCut ? [`cut after the newest ${rows} of ${total} payments: export shorter spans of time`] : []),
    ...(notSearched > 0 ? [`${notSearched} older payments were not searched: set the first day`] : []),
  ];
}
