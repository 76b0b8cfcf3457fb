// npm leaves optional packages of other platforms out of package-lock.json when it cannot reach them while the lock is
// written, and `npm ci` then refuses the lock. This adds them by name and exact version. Run it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32'];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    lock.packages[`node_modules/${name}`] ??= platformPackage(name, version, entry);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);

/** The name says for which system and processor it is: `@biomejs/cli-linux-x64-musl`. The licence is its parent's. */
function platformPackage(name, version, parent) {
  const words = name.split(/[/-]/);
  const system = SYSTEMS.find((word) => words.includes(word));
  const processor = PROCESSORS.find((word) => words.includes(word));
  return {
    version: version.replace(/^[\^~]/, ''),
    ...(processor && { cpu: [processor] }),
    ...(parent.dev && { dev: true }),
    ...(parent.license && { license: parent.license }),
    ...(words.includes('musl') && { libc: ['musl'] }),
    optional: true,
    ...(system && { os: [system] }),
  };
}
