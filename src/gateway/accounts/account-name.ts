/** Reads a typed name as names are stored. A keyboard begins it with a capital letter, or ends it with a space. */
export function readAccountName(typed = ''): string {
  return typed.trim().toLowerCase();
}
