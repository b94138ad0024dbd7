import type { Child } from 'hono/jsx';
import { Icon, type IconName } from '../../../shared/pages/icons.tsx';
import type { PageContent } from '../define-route.ts';
import type { Tone } from './format.ts';

type CardProps = {
  /** The id of the heading. */
  id: string;
  title: Child;
  /** The content at the right of the heading. */
  aside?: Child;
  /** The id of a card that changes while the page is open. */
  part?: string;
  /** Classes beside `card`: `wide` for a table to the edges, `call` for what to say, `fill` for buttons as wide as the card. */
  kind?: 'wide' | 'call' | 'fill';
  children: Child;
};

/** A part of a page with its heading. */
export function Card({ id, title, aside, part, kind, children }: CardProps) {
  const heading = <h2 id={id}>{title}</h2>;
  return (
    <section
      id={part}
      data-part={part === undefined ? undefined : true}
      class={kind === undefined ? 'card' : `card ${kind}`}
      aria-labelledby={id}
    >
      {aside === undefined && kind !== 'wide' ? (
        heading
      ) : (
        <div class={`line between${kind === 'wide' ? ' card-head' : ''}`}>
          {heading}
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

const toneIcons: Readonly<Record<Tone, IconName>> = {
  good: 'paid',
  bad: 'not',
  open: 'wait',
  review: 'decide',
  idle: 'none',
};

/** A state, as an icon and a word. The colour only adds to them. */
export function Chip({ tone, id, children }: { tone: Tone; id?: string | undefined; children: Child }) {
  return (
    <span id={id} data-part={id === undefined ? undefined : true} class={`chip ${tone}`}>
      <Icon name={toneIcons[tone]} />
      {children}
    </span>
  );
}

type FlashProps = { tone: Tone; icon?: IconName; id?: string; children: Child };

/** A message about the page: the result of an action, an outage, a finding. */
export function Flash({ tone, icon = toneIcons[tone], id, children }: FlashProps) {
  return (
    <div id={id} class={`flash ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** A page or a list without content: why it is empty, and the next step. */
export function Empty({ icon, title, children }: { icon: IconName; title: Child; children?: Child }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p>
        <b>{title}</b>
      </p>
      {children}
    </div>
  );
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
      <dl id={part} class="small" data-part={part === undefined ? undefined : true}>
        <Lines lines={lines} />
      </dl>
    </Card>
  );
}

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

export function notFoundPage(title: string, text: Child): PageContent {
  return { title, message: undefined, status: 404, body: <p>{text}</p> };
}
