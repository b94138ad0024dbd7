import type { CallSeen } from '../network.ts';
import type { OracleAnswer } from '../oracle/oracle.ts';

export type Claims = ReturnType<typeof openClaims>;

/** What the service has said to anybody: from then on it must be so, whatever falls. */
export function openClaims({ violate }: { violate(rule: string, what: string): void }) {
  /** Sessions that a create was answered with. */
  const created = new Set<string>();
  /** Statuses that were told as final. */
  const final = new Map<string, string>();
  /** Prompts whose right PIN was typed, whatever came of it. */
  const typed = new Set<string>();
  /** Prompts that were told to be approved. */
  const approved = new Set<string>();

  function say(id: string, status: string): void {
    const before = final.get(id);
    if (before !== undefined && before !== status)
      violate('service keeps', `${id} was ${before}, which is final, and is ${status}`);
    final.set(id, status);
  }

  return {
    created: created as ReadonlySet<string>,
    final: final as ReadonlyMap<string, string>,
    typed,
    approved,
    /** Takes down what an answer says, whether or not it arrives. */
    hear({ kind }: Pick<CallSeen, 'kind'>, { status, body }: OracleAnswer): void {
      if (status === 201 && kind === 'create') created.add((JSON.parse(body) as { id: string }).id);
      if (status !== 200 || kind !== 'status') return;
      const told = JSON.parse(body) as { id: string; status: string; terminal: boolean };
      if (told.terminal) say(told.id, told.status);
      else if (final.has(told.id)) violate('service keeps', `${told.id} was final, and is ${told.status}`);
    },
  };
}
