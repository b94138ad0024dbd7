import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Cli, launch, type Program, run } from '../../test/kit/launch.ts';
import { freePort } from '../../test/process/free-port.ts';

/*
 * Loads the files of deploy/ and observability/ in the real programs, as far as this machine has them, and lets a payment pass
 * through each proxy.
 */

/** 1.7 of 10, in tenths. */
const maxExposure = 17;

/** A proxy: its name, the argument that prints its version, and how it starts from a configuration of a folder. */
type Proxy = {
  name: string;
  version: string;
  /** Writes its files for these ports. Returns the commands that check them and start the proxy, and what an old version cannot read. */
  prepare(at: { folder: string; from: number; to: number }): { check: Cli; start: Cli; without?: string };
};

const kit = (file: string) => readFileSync(`deploy/${file}`, 'utf8');

function replaced(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  return changes.reduce((before, [pattern, by]) => {
    if (!pattern.test(before)) throw new Error(`${pattern} is not in the file`);
    return before.replaceAll(new RegExp(pattern, 'gm'), by);
  }, text);
}

const nginx: Proxy = {
  name: 'nginx',
  version: '-v',
  prepare({ folder, from, to }) {
    const site = replaced(kit('nginx/dialtill.conf'), [
      [/listen 443 ssl;/, `listen 127.0.0.1:${from} ssl;`],
      [/server 127\.0\.0\.1:8080;/, `server 127.0.0.1:${to};`],
      [/\/etc\/ssl\/pay\.example\.com/, `${folder}/cert`],
      [/\/var\/log\/nginx/, folder],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const main = `pid ${folder}/nginx.pid;\nevents {}\nhttp {\n${temporary.join('\n')}\n${site}\n}\n`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    const command: Cli = ['nginx', '-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/error.log`];
    return { check: [...command, '-t'], start: [...command, '-g', 'daemon off;'] };
  },
};

const caddy: Proxy = {
  name: 'caddy',
  version: 'version',
  prepare({ folder, from, to }) {
    const file = join(folder, 'Caddyfile');
    const site = replaced(kit('caddy/Caddyfile'), [
      [/^ {4}servers \{/m, '    admin off\n    auto_https disable_redirects\n    servers {'],
      [
        /^pay\.example\.com \{/m,
        `https://127.0.0.1:${from} {\n    tls ${folder}/cert.pem ${folder}/cert.key`,
      ],
      [/reverse_proxy 127\.0\.0\.1:8080 \{/, `reverse_proxy 127.0.0.1:${to} {`],
    ]);
    // Debian 12 has Caddy 2.6, which lacks what the file says it needs for several gateways.
    const isOld = /^v?2\.[0-6]\./.test(output(['caddy', 'version']));
    writeFileSync(
      file,
      isOld
        ? replaced(site, [
            [/ +lb_policy query sessionid \{[^}]*\}/, ''],
            [/ +request_buffers 64KiB/, ''],
          ])
        : site,
    );
    const options = ['--config', file, '--adapter', 'caddyfile'];
    const without = isOld ? { without: ' without lb_policy and request_buffers' } : {};
    return { check: ['caddy', 'validate', ...options], start: ['caddy', 'run', ...options], ...without };
  },
};

/** Runs a program to its end. @throws Error with its output when it fails. */
function output([program, ...args]: Cli): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `${status}\n${stdout}${stderr}`}`);
  return stdout + stderr;
}

const isInstalled = (program: string) => spawnSync(program, ['--help']).error === undefined;

/** Returns what each program found; `not installed` for those that this machine lacks. @throws Error when one found a fault. */
export async function checkOperatorKit(): Promise<string> {
  const found: string[] = [];
  const check = (program: string, work: () => string) =>
    found.push(`${program}: ${isInstalled(program) ? work() : 'not installed'}`);
  check('systemd-analyze', () => {
    const units = ['dialtill.service', 'dialtill-backup.service'].map((name) => `deploy/systemd/${name}`);
    output(['systemd-analyze', 'verify', ...units, 'deploy/systemd/dialtill-backup.timer']);
    const security = ['security', '--offline=true', `--threshold=${maxExposure}`];
    const levels = units.map((unit) =>
      /level for .*: (\S+)/.exec(output(['systemd-analyze', ...security, unit])),
    );
    return `exposure ${levels.map((level) => level?.[1]).join(' and ')}`;
  });
  check(
    'promtool',
    () => /\d+ rules/.exec(output(['promtool', 'check', 'rules', 'observability/alerts.yaml']))?.[0] ?? '',
  );
  for (const proxy of [nginx, caddy])
    found.push(`${proxy.name}: ${isInstalled(proxy.name) ? await payThrough(proxy) : 'not installed'}`);
  return found.join('; ');
}

async function untilListening(port: number): Promise<void> {
  for (let attempts = 0; attempts < 100; attempts++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(100);
  }
  throw new Error(`nothing listens on port ${port}`);
}

/** Starts a demo behind a proxy, and pays through it. */
async function payThrough({ name, version, prepare }: Proxy): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-release-'));
  const programs: Program[] = [];
  const start = (command: Cli) => {
    const program = launch(command, { cwd: folder });
    programs.push(program);
    return program;
  };
  try {
    mkdirSync(join(folder, 'data'));
    const [from, to, servicePort] = [await freePort(), await freePort(), await freePort()];
    const names = [
      '-subj',
      '/CN=127.0.0.1',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
      '-days',
      '2',
      '-nodes',
    ];
    const files = ['-keyout', `${folder}/cert.key`, '-out', `${folder}/cert.pem`];
    output(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', ...names, ...files]);
    const { check, start: command, without = '' } = prepare({ folder, from, to });
    output(check);
    const cli: Cli = [process.execPath, resolve('dist/cli/main.js')];
    const demo = start([...cli, 'start', '--port', String(to), '--service-port', String(servicePort)]);
    await demo.waitForOutput(/dialtill dial/);
    start(command);
    await untilListening(from);
    const payment = ['--msisdn', '0244123456', '--input', '1,20,1', '--approve'];
    const args = ['dial', '*713*5#', ...payment, '--gateway', `https://127.0.0.1:${from}`];
    const { code, stdout, stderr } = await run(cli, args, folder, {
      NODE_EXTRA_CA_CERTS: `${folder}/cert.pem`,
    });
    if (code !== 0) throw new Error(`the payment through ${name} ended with ${code}:\n${stdout}${stderr}`);
    return `${/\d+\.\d+\.\d+/.exec(output([name, version]))?.[0]}${without}, paid`;
  } catch (cause) {
    throw new Error(`${cause}\n${programs.map((one) => one.stdout() + one.stderr()).join('\n')}`, { cause });
  } finally {
    await Promise.all(programs.map((one) => one.end('SIGTERM')));
    rmSync(folder, { recursive: true, force: true });
  }
}
