import { Hono } from 'hono';
import type { OpenAccount } from '../gateway/accounts/open-account.ts';
import { Chip } from '../gateway/console/parts/card.tsx';
import type { CreatePages } from '../gateway/wiring/context.ts';
import { publicAccess } from '../shared/http/access.ts';
import { readAssets } from '../shared/pages/assets.ts';
import { Document, pagePolicy } from '../shared/pages/document.tsx';

/**
 * Returns the function that adds the page at `/`, which leads to the phone and the console. It has the style sheet of the phone.
 *
 * @param serviceUrl the address of the service, which describes its API at `/docs`.
 */
export function demoPage(accounts: readonly OpenAccount[], serviceUrl: string): CreatePages {
  const { css } = readAssets('phone');
  return () => {
    const app = new Hono();
    app.get('/', publicAccess(), (c) => {
      c.header('content-security-policy', pagePolicy);
      return c.html(
        <DemoPage css={`/phone/assets/${css.name}`} accounts={accounts} serviceUrl={serviceUrl} />,
      );
    });
    return { area: '', app };
  };
}

type DemoPageProps = { css: string; accounts: readonly OpenAccount[]; serviceUrl: string };

function DemoPage({ css, accounts, serviceUrl }: DemoPageProps) {
  return (
    <Document title="Demo" layout="desk" assets={{ css }}>
      <header class="bar">
        <span class="brand">dialtill demo</span>
        <Chip tone="review">Test keys only</Chip>
      </header>
      <main>
        <h1>The demo of dialtill</h1>
        <p class="lead">A simulated mobile-money rail: no real money moves.</p>
        <div class="figures">
          <section class="card">
            <h2>Phone</h2>
            <p>Dial, answer the screens, and approve the prompt with any PIN except 0000.</p>
            <p>
              <a class="button primary" href="/phone">
                Open the phone
              </a>
            </p>
          </section>
          <section class="card">
            <h2>Console</h2>
            <p>
              Find the payment, and read what happened. No password is needed: sign in as {getNames(accounts)}
              .
            </p>
            <p>
              <a class="button" href="/console">
                Open the console
              </a>
            </p>
          </section>
          <section class="card">
            <h2>APIs</h2>
            <p>
              <a href="/merchant/v1/docs">Merchant API</a>
            </p>
            <p>
              <a href={`${serviceUrl}/docs`}>Collection service</a>
            </p>
          </section>
        </div>
      </main>
    </Document>
  );
}

/** Returns the people with their roles: `ama (lead), kofi (finance) or yaw (admin)`. */
function getNames(accounts: readonly OpenAccount[]): string {
  const names = accounts.map(({ name, role }) => `${name} (${role})`);
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names);
}
