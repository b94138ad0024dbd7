/** Returns the examples of a command of the group, as its help prints them. */
export function helpExamples(examples: readonly string[]): string {
  const lines = examples.map((example) => `  $ dialtill ledger ${example}`);
  return ['', examples.length === 1 ? 'Example:' : 'Examples:', ...lines].join('\n');
}
