import type { FactRow, PostingRow } from './chain.ts';

/** Returns the facts and postings of a subject. */
export type SubjectEntries = (id: string) => { facts: readonly FactRow[]; postings: readonly PostingRow[] };

/** Groups rows by their subject, in their order. */
export function bySubject<Row extends { subjectId: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.subjectId);
    if (group) group.push(row);
    else groups.set(row.subjectId, [row]);
  }
  return groups;
}
