/** Returns the decoded parts of a request's path; none when the path cannot be decoded. */
export function pathPartsOf(url = ''): string[] {
  try {
    const { pathname } = new URL(url, 'http://localhost');
    return pathname.slice(1).split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}
