/**
 * Whether a spreadsheet would convert a text: into a formula (`=`, `+`, `-`, `@`, also as full-width characters and after
 * spaces), into a number (which loses leading zeros and all digits after the fifteenth), or into a date.
 */
function isConverted(text: string): boolean {
  return (
    /^['\0\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(text) ||
    (/^\s*\d/.test(text) && !/^(0|[1-9]\d{0,14})$/.test(text))
  );
}

/**
 * Formats a text as a quoted cell (RFC 4180). A text that a spreadsheet would convert gets a single quote in front (ASVS
 * 5.0, 1.2.10), and so does a text that starts with one: without its first single quote, each cell is the original text.
 */
export function textCell(text: string): string {
  return cell(isConverted(text) ? `'${text}` : text);
}

/** Formats a number or time of the gateway, which cannot be a formula. */
export function plainCell(value: number | string): string {
  return cell(String(value));
}

/** Formats pesewas as cedis without rounding: `20.20`, `-20.20`. An empty cell without an amount. */
export function cedisCell(minor: number | null): string {
  if (minor === null) return plainCell('');
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return plainCell(`${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

function cell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Joins the cells of one record, with the line break of RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
