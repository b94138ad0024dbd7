/** The help of a command that acts as a person. */
export const personHelp = `
Acts as the person who has signed in: dialtill staff sign-in

Environment:
  DIALTILL_STAFF       the person as name:token instead, for scripts
  DIALTILL_STAFF_FILE  a file with it`;
