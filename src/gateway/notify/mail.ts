import type { MailMessage } from './alert-job.ts';

/** The server that takes e-mail. `secure`: TLS from the first byte; otherwise the connection changes to TLS. */
export type MailSettings = {
  host: string;
  port: number;
  secure: boolean;
  user?: string | undefined;
  password?: string | undefined;
  from: string;
};

const timeoutMs = 15_000;

/**
 * Creates what sends an e-mail by SMTP, one connection for each. Rejects when the server does not take it.
 *
 * @param deps.isTlsOptional only for a test environment: a password and an alert must not cross a network in clear text.
 */
export function createMailer(
  { host, port, secure, user, password, from }: MailSettings,
  { isTlsOptional }: { isTlsOptional: boolean },
): (message: MailMessage) => Promise<void> {
  return async ({ to, subject, text, id }) => {
    // Loaded with the first e-mail: most gateways send none.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      ...{ host, port, secure, requireTLS: !secure && !isTlsOptional },
      ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    try {
      await transport.sendMail({
        ...{ from, to: { name: '', address: to }, subject, text },
        // A repeat of an attempt has the same identifier, so that mailboxes can show it once.
        messageId: `<${id}@dialtill>`,
      });
    } finally {
      transport.close();
    }
  };
}
