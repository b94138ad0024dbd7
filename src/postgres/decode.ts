const boolean = 16;
const numbers = [20, 21, 23, 26, 700, 701, 1700];

/**
 * Returns the function that turns the text of a column into the value that SQLite returns for it: numbers as numbers, and
 * 1 or 0 for a boolean.
 *
 * @param type the object id of the column's type.
 */
export function createDecoder(type: number): (text: string) => unknown {
  if (type === boolean) return (text) => (text === 't' ? 1 : 0);
  return numbers.includes(type) ? toNumber : (text) => text;
}

/** @throws Error for an integer that a number cannot represent exactly. */
function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new Error(`the database returned ${text}, which is not a safe integer`);
  return number;
}
