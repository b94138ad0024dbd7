import { createServer } from 'node:net';
import { listenLocally } from './local-server.ts';

/** Starts a server on a free port of this machine that takes e-mail by SMTP, without TLS. `refuse` answers recipients with 550; it can change. */
export async function startMailServer(settings: { refuse?: boolean } = {}) {
  const mails: string[] = [];
  let arrived = () => {};
  const server = createServer((socket) => {
    let data: string[] | undefined;
    let rest = '';
    const answer = (line: string) => socket.write(`${line}\r\n`);
    const take = (line: string) => {
      if (data) {
        if (line !== '.') return data.push(line);
        mails.push(data.join('\n'));
        data = undefined;
        answer('250 taken');
        return arrived();
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'RCPT' && settings.refuse)
        return answer(`550 no mailbox 0244123456 of 233244123456 here: ${line.slice('RCPT TO:'.length)}`);
      if (verb === 'DATA') {
        data = [];
        return answer('354 go on');
      }
      if (verb === 'QUIT') {
        answer('221 bye');
        return socket.end();
      }
      return answer('250 ok');
    };
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
    answer('220 test');
  });
  const { port } = await listenLocally(server);
  return {
    port,
    mails,
    /** Resolves after that many mails. */
    async arrived(count: number): Promise<void> {
      while (mails.length < count) await new Promise<void>((resolve) => (arrived = resolve));
    },
  };
}
