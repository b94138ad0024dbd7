/** What a proposal is for, by its outcome. The dots stand for the amount or the thing. */
const proposed: Readonly<Record<string, string>> = {
  accept: 'to accept …',
  returned: 'to record … as returned',
  return: 'to return …',
  paid: 'to record … as paid',
  not_paid: 'to record … as not paid',
  match: 'to place …',
  foreign: 'to leave … to another channel',
};

/** Returns what a person proposes to do with an amount: `to accept GHS 20.20`. */
export function nameDecision(outcome: string, amount: string): string {
  return (proposed[outcome] ?? `“${outcome}” for …`).replace('…', amount);
}
