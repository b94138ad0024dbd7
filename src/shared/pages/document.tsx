import type { MiddlewareHandler } from 'hono';
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import { chooseEncoding, encode } from './assets.ts';
import { iconShapes } from './icons.tsx';

/** The content security policy of pages: files of the same origin only, no text that becomes a script. */
export const pagePolicy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'connect-src', 'form-action'].map((name) => `${name} 'self'`),
  "img-src 'self' data:",
  ...[
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ],
].join('; ');

/**
 * Compresses pages for browsers that accept it: on a slow network, a list comes in a quarter of the time. A request that another
 * site caused, also one of the same domain, gets a plain page: the size of a compressed one could reveal its content to a
 * site that chooses a part of it (BREACH).
 */
export function compressPages(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const isPage = c.res.headers.get('content-type')?.startsWith('text/html') ?? false;
    if (!isPage || isOfOtherSite(c.req.header('sec-fetch-site'))) return;
    c.header('vary', 'accept-encoding', { append: true });
    const encoding = chooseEncoding(c.req.header('accept-encoding'));
    if (encoding === undefined) return;
    const page = new Uint8Array(await c.res.arrayBuffer());
    c.res = new Response(await encode(page, encoding), c.res);
    c.res.headers.set('content-encoding', encoding);
  };
}

/** A browser names the site that caused a request; other programs do not. */
function isOfOtherSite(site: string | undefined): boolean {
  return site === 'same-site' || site === 'cross-site';
}

/** The paths of the style sheet and the script of a page; some pages have no script. */
export type AssetPaths = { css: string; js?: string };

type DocumentProps = {
  title: string;
  assets: AssetPaths;
  /** Reloads the page after this time in a browser without JavaScript. */
  reloadSeconds?: number | undefined;
  /** The layout of the body: `app` has links at the side, `gate` one card in the middle, `desk` the whole width. */
  layout?: 'app' | 'gate' | 'desk';
  children: Child;
};

/** The document around the body of a page. */
export function Document({ title, assets, reloadSeconds, layout, children }: DocumentProps) {
  // biome-ignore lint/complexity/noUselessFragments: renders the children to text.
  const body = String(<>{children}</>);
  return (
    <>
      {raw('<!doctype html>')}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{title} - dialtill</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href={assets.css} />
          {assets.js !== undefined && <script type="module" src={assets.js} />}
          {reloadSeconds !== undefined && (
            <noscript>
              <meta http-equiv="refresh" content={String(reloadSeconds)} />
            </noscript>
          )}
        </head>
        <body class={layout}>
          {raw(body)}
          {iconShapes(body)}
        </body>
      </html>
    </>
  );
}
