export type OracleAnswer = { status: number; headers: Readonly<Record<string, string>>; body: string };

export function json(status: number, body: object, headers: Record<string, string> = {}): OracleAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function reject(status: number, code: string, headers: Record<string, string> = {}): OracleAnswer {
  return json(status, { error: { code, message: code } }, headers);
}
