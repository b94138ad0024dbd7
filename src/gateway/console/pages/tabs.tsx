import type { AccountRole } from '../../../contract/staff/account.ts';
import { addressOf } from '../page.tsx';
import { mayUse, type RouteName } from '../roles.ts';

/** Pages that one link of the head leads to. */
const groups = {
  /** What payers did: with a confirmation, and without one. */
  lists: {
    label: 'Lists',
    tabs: { 'GET /payments': 'Payments', 'GET /sessions': 'Sessions without a payment' },
  },
  systems: {
    label: 'Systems',
    tabs: { 'GET /endpoints': 'Endpoints', 'GET /deliveries': 'Deliveries', 'GET /keys': 'Keys' },
  },
} as const satisfies Record<string, { label: string; tabs: Partial<Record<RouteName, string>> }>;

type TabsProps<Group extends keyof typeof groups> = {
  group: Group;
  role: AccountRole;
  current: keyof (typeof groups)[Group]['tabs'];
};

/** The tabs of a group that a role may use; nothing for a single one. */
export function Tabs<Group extends keyof typeof groups>({ group, role, current }: TabsProps<Group>) {
  const { label, tabs } = groups[group];
  const own = (Object.entries(tabs) as [RouteName, string][]).filter(([name]) => mayUse(role, name));
  if (own.length < 2) return null;
  return (
    <nav class="tabs" aria-label={label}>
      {own.map(([name, text]) => (
        <a href={addressOf(name)} aria-current={name === current ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
