/**
 * Where a question goes: a whole address as it stands, a path under the merchant's `base`. `undefined` when it is no
 * address, or when what was filled into a path would lead out of `base`.
 */
export function resolveAddress(base: string | undefined, url: string): URL | undefined {
  if (!url.startsWith('/')) return parse(url);
  const address = base === undefined ? undefined : parse(base + url);
  if (base === undefined || !address) return undefined;
  const under = new URL(base.endsWith('/') ? base : `${base}/`);
  const stays = address.origin === under.origin && `${address.pathname}/`.startsWith(under.pathname);
  return stays ? address : undefined;
}

function parse(text: string): URL | undefined {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  return address && /^https?:$/.test(address.protocol) ? address : undefined;
}
