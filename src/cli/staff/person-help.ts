/** The help of a command that acts as a person. */
export const personHelp = `
Acts as the person who has signed in: dialtill staff sign-in

Environment:
  DIALTILL_STAFF       the person as name:token instead, for scripts
  DIALTILL_STAFF_FILE  a file with it`;

/** The help of commands that the key of the configuration may run, beside `personHelp`. */
export const configurationHelp = `
Without a person, or when the gateway of the configuration rejects the sign-in, acts with console.secretsKey of the configuration, and
the audit shows "(configuration)". When no gateway runs, the command opens its ledger.`;
