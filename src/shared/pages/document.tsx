import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';

/** The paths of the style sheet and the script of a page; some pages have no script. */
export type AssetPaths = { css: string; js?: string };

type DocumentProps = {
  title: string;
  assets: AssetPaths;
  /** Reloads the page after this time in a browser without JavaScript. */
  reloadSeconds?: number | undefined;
  children: Child;
};

/** The document around the body of a page. */
export function Document({ title, assets, reloadSeconds, children }: DocumentProps) {
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
        <body>{children}</body>
      </html>
    </>
  );
}
