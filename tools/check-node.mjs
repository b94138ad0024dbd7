import { readFileSync } from 'node:fs';

// Ends a script on a Node that is older than `engines` in package.json. The import of this module comes before all others.

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = engines.node.replace('>=', '');
const [needsMajor, needsMinor] = needed.split('.').map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < needsMajor || (major === needsMajor && minor < needsMinor)) {
  process.stderr.write(
    `dialtill needs Node ${needed} or newer, and this is Node ${process.versions.node}. Run "npm ci", which installs Node 24 for the scripts of this folder, or install Node 24: https://nodejs.org\n`,
  );
  process.exit(1);
}
