import type { Child } from 'hono/jsx';
import type { PageContent } from '../define-route.ts';

type CardProps = {
  /** The id of the heading. */
  id: string;
  title: string;
  /** The id of a card that changes while the page is open. */
  part?: string;
  children: Child;
};

/** A part of a page with its heading. */
export function Card({ id, title, part, children }: CardProps) {
  return (
    <section id={part} data-part={part === undefined ? undefined : true} class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** The tone of a state: `open` has no result yet. */
export type Tone = 'good' | 'bad' | 'open' | 'review';

/** The state of something in words. */
export function StatusChip({ tone, children }: { tone: Tone; children: Child }) {
  return <span class={`status ${tone}`}>{children}</span>;
}

type DetailsProps = {
  /** For the part of a page that changes while it is open. */
  part?: string;
  /** Names and values. `false` is a line that these details do not have. */
  lines: readonly (readonly [name: string, value: Child] | false)[];
};

/** The properties of one thing, as names and values in a card. */
export function Details({ part, lines }: DetailsProps) {
  return (
    <Card id="details" title="Details">
      <dl id={part} data-part={part === undefined ? undefined : true}>
        <Lines lines={lines} />
      </dl>
    </Card>
  );
}

/** The lines of a list of names and values. */
export function Lines({ lines }: Pick<DetailsProps, 'lines'>) {
  return (
    <>
      {lines
        .filter((one) => one !== false)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </>
  );
}

/** Returns the page of something that does not exist. */
export function notFoundPage(title: string, text: Child): PageContent {
  return { title, message: undefined, status: 404, body: <p>{text}</p> };
}
