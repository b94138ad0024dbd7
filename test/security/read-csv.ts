/**
 * Reads CSV strictly by RFC 4180, with every cell quoted.
 *
 * @throws on any other text.
 */
export function readCsv(text: string): string[][] {
  const record = /"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*\r\n/gy;
  const records: string[][] = [];
  while (record.lastIndex < text.length) {
    const at = record.lastIndex;
    const [line] = record.exec(text) ?? [];
    if (line === undefined)
      throw new Error(`invalid CSV record at ${at}: ${JSON.stringify(text.slice(at, at + 80))}`);
    const cells = line.matchAll(/"((?:[^"]|"")*)"/g);
    records.push([...cells].map(([, cell = '']) => cell.replaceAll('""', '"')));
  }
  return records;
}

/** Returns the text of a cell without the single quotes that make it inert in spreadsheets. */
export function textOf(cell: string | undefined): string {
  return (cell ?? '').replace(/(^|[;\t\r\n])'/g, '$1');
}
