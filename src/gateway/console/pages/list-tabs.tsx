const tabs = [
  ['payments', 'Payments'],
  ['sessions', 'Sessions without a payment'],
] as const;

/** The lists of what payers did: with a confirmation, and without one. */
export function ListTabs({ tab }: { tab: (typeof tabs)[number][0] }) {
  return (
    <nav class="tabs" aria-label="Lists">
      {tabs.map(([name, text]) => (
        <a href={`/console/${name}`} aria-current={name === tab ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
