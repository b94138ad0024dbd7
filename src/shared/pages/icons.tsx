import { raw } from 'hono/html';

const circle = '<circle cx="8" cy="8" r="6.25"/>';

/** The shapes of the icons, on a square of 16. */
const shapes = {
  paid: `${circle}<path d="m5.2 8.2 2 2 3.7-4.2"/>`,
  not: `${circle}<path d="m6 6 4 4m0-4-4 4"/>`,
  wait: `${circle}<path d="M8 4.6V8l2.3 1.5"/>`,
  none: `${circle}<path d="M5.2 8h5.6"/>`,
  decide: '<path d="M8 1.9 14.4 13.2H1.6Z"/><path d="M8 6.3v3.2m0 1.7v.1"/>',
  search: '<circle cx="7" cy="7" r="4.6"/><path d="m10.5 10.5 3.6 3.6"/>',
  menu: '<path d="M2 4.5h12M2 8h12M2 11.5h12"/>',
  home: '<path d="M2 7.5 8 2.3l6 5.2V14H9.8v-4H6.2v4H2Z"/>',
  list: '<path d="M2 4h.1M5 4h9M2 8h.1M5 8h9M2 12h.1M5 12h9"/>',
  talk: '<path d="M2 3h12v8H7l-3 2.6V11H2Z"/>',
  inbox: '<path d="M2 9.5 4 3h8l2 6.5V13H2Zm0 0h3.5l1 1.6h3l1-1.6H14"/>',
  coins:
    '<ellipse cx="8" cy="4.4" rx="5.4" ry="2.3"/><path d="M2.6 4.4v7c0 1.3 2.4 2.3 5.4 2.3s5.4-1 5.4-2.3v-7M2.6 8c0 1.3 2.4 2.3 5.4 2.3S13.4 9.3 13.4 8"/>',
  day: '<path d="M2.2 3.5h11.6V14H2.2ZM2.2 6.8h11.6M5.2 1.8v3M10.8 1.8v3"/>',
  book: '<path d="M3 2h10v12H3ZM6 5.2h4M6 8h4"/>',
  funnel: '<path d="M2 3h12L9.6 8.3V13L6.4 14V8.3Z"/>',
  shield: '<path d="M8 1.8 13.4 4v4c0 3-2.2 5.2-5.4 6.3C4.8 13.2 2.6 11 2.6 8V4Z"/>',
  plug: '<path d="M5.5 1.8v3.4m5-3.4v3.4M3.5 5.2h9v2.6a4.5 4.5 0 0 1-9 0ZM8 12.3v2"/>',
  people:
    '<circle cx="6" cy="5.3" r="2.6"/><path d="M1.5 13.8c.3-3 2-4.6 4.5-4.6s4.2 1.6 4.5 4.6M10.8 3c2.7.2 2.9 4 .3 4.7m.9 1.8c1.6.6 2.4 2 2.6 4"/>',
  copy: '<path d="M5.5 5.5h8v8h-8ZM2.5 10.5v-8h8"/>',
  x: '<path d="m4 4 8 8m0-8-8 8"/>',
  eye: '<path d="M1.5 8C4.5 2.9 11.5 2.9 14.5 8c-3 5.1-10 5.1-13 0Z"/><circle cx="8" cy="8" r="2"/>',
  note: '<path d="M3 2h10v8l-4 4H3Zm6 12v-4h4"/>',
  key: '<circle cx="5" cy="11" r="2.8"/><path d="m7 9 6-6m-2.3 2.3 2 2"/>',
  down: '<path d="m4 6 4 4 4-4"/>',
  right: '<path d="m6 3.5 4.5 4.5L6 12.5"/>',
  bell: '<path d="M3.5 11.5c1-1.2 1-2.6 1-4.5a3.5 3.5 0 0 1 7 0c0 1.9 0 3.3 1 4.5Zm3 2h3"/>',
  block: `${circle}<path d="m3.7 3.7 8.6 8.6"/>`,
  plus: '<path d="M8 3v10M3 8h10"/>',
  call: '<path d="M4 2h2.6l1 3.3-1.7 1.2a8 8 0 0 0 3.6 3.6l1.2-1.7 3.3 1V12c0 1-1 2-2 2C7 13.6 2.4 9 2 4c0-1 1-2 2-2Z"/>',
  send: '<path d="M8 13V3M4 7l4-4 4 4"/>',
  receive: '<path d="M8 3v10M4 9l4 4 4-4"/>',
} as const;

export type IconName = keyof typeof shapes;

/** An icon beside words; alone, it needs a text for screen readers. `Document` adds its shape to the page. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="i" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** Returns the shapes of the icons that a page uses, once each. */
export function iconShapes(page: string) {
  const names = new Set([...page.matchAll(/"#i-([a-z]+)"/g)].map(([, name]) => name as IconName));
  const symbols = [...names].map(
    (name) => `<symbol id="i-${name}" viewBox="0 0 16 16">${shapes[name] ?? ''}</symbol>`,
  );
  return raw(symbols.length === 0 ? '' : `<svg hidden>${symbols.join('')}</svg>`);
}
