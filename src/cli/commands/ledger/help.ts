/** Returns the examples of a command of a group, as its help prints them. */
export function helpExamples(examples: readonly string[], group = 'ledger'): string {
  const lines = examples.map((example) => `  $ dialtill ${group} ${example}`);
  return ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n');
}
