import { maskNumbers } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ActionFilter, type ActionRow, readActionPart } from '../support/action-query.ts';
import { plainCell, textCell } from '../support/export/csv.ts';
import type { PageRequest, UnknownCursor } from '../support/page.ts';
import { describeDetail } from '../support/timeline.ts';
import { type ExportPart, type FileColumn, fileLine, filePart } from './parts/export-stream.ts';

/** Returns the details of an action in words, with masked numbers. */
export function getDetail({ detail }: Pick<ActionRow, 'detail'>): string {
  return maskNumbers(describeDetail(JSON.parse(detail)));
}

/** The columns of the file of what people did. Numbers in it are masked, as on the page. */
export const auditColumns: readonly FileColumn<ActionRow>[] = [
  ['time', ({ at }) => plainCell(new Date(at).toISOString())],
  ['person', ({ actor }) => textCell(actor)],
  ['action', ({ action }) => plainCell(action)],
  ['result', ({ result }) => plainCell(result)],
  ['about', ({ subjectKind }) => plainCell(subjectKind)],
  ['id', ({ subjectId }) => textCell(maskNumbers(subjectId))],
  ['merchant', ({ merchantId }) => textCell(merchantId ?? '')],
  ['details', (row) => textCell(getDetail(row))],
];

/** Reads a part of the file of what people did, newest first. */
async function readAuditPart(
  store: Store,
  filter: ActionFilter,
  page: PageRequest,
): Promise<ExportPart | UnknownCursor> {
  const part = await readActionPart(store, filter, page);
  return part === 'unknown_cursor' ? part : filePart(part, (row) => fileLine(auditColumns, row, 'masked'));
}

export const auditReads = { actions: readActionPart, auditPart: readAuditPart };
