/**
 * Returns the address of a lookup: its path under the merchant's `base`.
 *
 * @returns `undefined` when `path` is not a path, or leaves `base`, also after a server has decoded it.
 */
export function resolveAddress(base: string, path: string): URL | undefined {
  if (!path.startsWith('/') || !URL.canParse(base + path)) return undefined;
  const address = new URL(base + path);
  const under = new URL(base.endsWith('/') ? base : `${base}/`);
  const isUnderBase = address.origin === under.origin && `${address.pathname}/`.startsWith(under.pathname);
  return isUnderBase && !hasParent(address.pathname) ? address : undefined;
}

/** Servers and the proxies before them decode a path once each. */
const maxDecodings = 3;

/** True when a decoded form of a path has a segment `..`, which servers resolve to the folder above. */
function hasParent(path: string): boolean {
  let decoded = path;
  for (let count = 0; count <= maxDecodings; count++) {
    // Some servers separate segments with backslashes, and ignore parameters after a semicolon.
    const segments = decoded.split(/[/\\]/).map((segment) => segment.replace(/;.*$/s, ''));
    if (segments.includes('..') || decoded.includes('\0')) return true;
    // Without an error for a lone percent sign, as lenient servers do.
    decoded = decoded.replace(/%([0-7][\da-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return false;
}
