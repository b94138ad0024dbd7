/**
 * Whether a spreadsheet would make something else of a text than the text: a formula (`=`, `+`, `-`, `@`, also in their
 * wide forms and behind blanks), a number (which drops leading zeros, and all digits but fifteen), or a date.
 */
function isRead(text: string): boolean {
  return (
    /^['\0\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(text) ||
    (/^\s*\d/.test(text) && !/^(0|[1-9]\d{0,14})$/.test(text))
  );
}

/**
 * A text as a cell: quoted (RFC 4180), and behind a single quote where a spreadsheet would read it as anything else than
 * a text (ASVS 5.0, 1.2.10). A text that begins with a single quote gets one more, so that taking one away gives back each.
 */
export function textCell(text: string): string {
  return cell(isRead(text) ? `'${text}` : text);
}

/** A number or a time of our own making, which no spreadsheet can take for a formula. */
export function plainCell(value: number | string): string {
  return cell(String(value));
}

function cell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** One record, with the line break that RFC 4180 demands. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
