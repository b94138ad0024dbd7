/** Returns the decoded parts of a request's path, as routes read them: a part that cannot be decoded stays as it is. */
export function splitPath(url = ''): string[] {
  if (!URL.canParse(url, 'http://localhost')) return [];
  const { pathname } = new URL(url, 'http://localhost');
  return pathname.slice(1).split('/').map(decoded);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
