/**
 * Returns the address of a lookup. A path is resolved under the merchant's `base`.
 *
 * @returns `undefined` when `url` is not an http address, or when a value that was filled into the path leaves `base`.
 */
export function resolveAddress(base: string | undefined, url: string): URL | undefined {
  if (!url.startsWith('/')) return parse(url);
  const address = base === undefined ? undefined : parse(base + url);
  if (base === undefined || !address) return undefined;
  const under = new URL(base.endsWith('/') ? base : `${base}/`);
  const isUnderBase = address.origin === under.origin && `${address.pathname}/`.startsWith(under.pathname);
  return isUnderBase ? address : undefined;
}

function parse(text: string): URL | undefined {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  return address && /^https?:$/.test(address.protocol) ? address : undefined;
}
