import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { Store } from '../../../sqlite/store.ts';
import { type ActionFilter, type ActionRow, readActionPart } from '../../support/action-query.ts';
import { describeDetail } from '../../support/describe-detail.ts';
import { csvLine, plainCell, textCell } from '../../support/export/csv.ts';
import type { PageRequest, UnknownCursor } from '../../support/page.ts';
import type { ExportPart } from '../list/export-query.ts';

const columns = ['time', 'person', 'action', 'result', 'about', 'id', 'merchant', 'details'];

/** Returns the first line of the file, with its line break. */
export function auditHead(): string {
  return csvLine(columns.map(plainCell));
}

/** Reads a part of the file of what people did, newest first. Numbers in it are masked, as on the page. */
export async function readAuditPart(
  store: Store,
  filter: ActionFilter,
  page: PageRequest,
): Promise<ExportPart | UnknownCursor> {
  const part = await readActionPart(store, filter, page);
  if (part === 'unknown_cursor') return part;
  const lines = new TextEncoder().encode(part.data.map(auditLine).join(''));
  return { lines, rows: part.data.length, next: part.next };
}

function auditLine(row: ActionRow): string {
  const { at, actor, action, result, subjectKind, subjectId, merchantId, detail } = row;
  return csvLine([
    plainCell(new Date(at).toISOString()),
    textCell(actor),
    plainCell(action),
    plainCell(result),
    plainCell(subjectKind),
    textCell(maskNumbers(subjectId)),
    textCell(merchantId ?? ''),
    textCell(maskNumbers(describeDetail(JSON.parse(detail)))),
  ]);
}
