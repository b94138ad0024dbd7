const errorWords: Readonly<Record<string, string>> = {
  connection: 'no connection',
  timeout: 'no answer in time',
  address_refused: 'address not allowed',
  secret_unreadable: 'secret not readable',
};

/** Returns the result of an attempt to send a notification: the status of the answer, or why there was none. */
export function nameAttempt({ status, error }: { status: number | null; error: string | null }): string {
  if (status !== null) return String(status);
  return error === null ? 'no answer' : (errorWords[error] ?? error.replaceAll('_', ' '));
}
