/** Reads CSV strictly by RFC 4180, where every cell is quoted. Throws on anything else. */
export function readCsv(text: string): string[][] {
  const record = /"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*\r\n/gy;
  const records: string[][] = [];
  while (record.lastIndex < text.length) {
    const at = record.lastIndex;
    const [line] = record.exec(text) ?? [];
    if (line === undefined) throw new Error(`no record at ${at}: ${JSON.stringify(text.slice(at, at + 80))}`);
    const cells = line.matchAll(/"((?:[^"]|"")*)"/g);
    records.push([...cells].map(([, cell = '']) => cell.replaceAll('""', '"')));
  }
  return records;
}

/** The text that a cell stands for: without the single quote that keeps a spreadsheet from reading it. */
export function textOf(cell: string | undefined): string {
  return (cell ?? '').replace(/^'/, '');
}
