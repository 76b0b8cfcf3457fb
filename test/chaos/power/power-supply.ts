import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killProcess } from '../support/service.ts';
import { cutPowerAfter, playBackwards, STATE, type Undone } from './power-files.ts';

/** The power of one installation. */
export type PowerSupply = {
  /** For every process of the installation. */
  readonly env: Record<string, string>;
  /** Cuts the power after so many more changes of files; 0 cuts it now. */
  cutAfter(changes: number): void;
  isOff(): boolean;
  /** Cuts the power if it is still there, kills all processes and leaves on the disk what a power cut would leave. */
  cut(random: () => number): Promise<Undone>;
  remove(): void;
};

/** How long a sync takes, in microseconds; in this time the power can go. */
const SYNC_US = 3_000;

/** Returns whether the library can be built here. */
export function canBuildLibrary(): boolean {
  return process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
}

/**
 * Builds the library for one installation, so that its processes can be told from others.
 * @param lie part of a path: syncs of such files do nothing, as on a disk that lies
 */
export function openPowerSupply(root: string, lie = ''): PowerSupply {
  const home = `${root}-power`;
  mkdirSync(join(home, 'trash'), { recursive: true });
  const [library, state, log] = ['power.so', 'state', 'log'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const source = fileURLToPath(new URL('power.c', import.meta.url));
  execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']);
  const reset = () => {
    writeFileSync(state, Buffer.alloc(STATE.bytes));
    writeFileSync(log, '');
    rmSync(join(home, 'trash'), { recursive: true, force: true });
    mkdirSync(join(home, 'trash'));
    // The database runs as another user where the tests run as root.
    for (const name of ['', 'trash']) chmodSync(join(home, name), 0o777);
    for (const path of [state, log]) chmodSync(path, 0o666);
  };
  reset();
  const read = (at: number): number => {
    const bytes = Buffer.alloc(4);
    const file = openSync(state, 'r');
    readSync(file, bytes, 0, 4, at);
    closeSync(file);
    return bytes.readInt32LE();
  };
  const isOff = () => read(STATE.off) === 1;
  return {
    env: {
      LD_PRELOAD: library,
      POWER_HOME: home,
      POWER_ROOT: root,
      POWER_LIE: lie,
      POWER_SYNC_US: String(SYNC_US),
      UV_USE_IO_URING: '0',
    },
    cutAfter: (changes) => cutPowerAfter(home, changes),
    isOff,
    cut: async (random) => {
      cutPowerAfter(home, 0);
      // The change in progress is made and written down.
      for (let holder = read(STATE.lock); holder !== 0 && isThere(holder); holder = read(STATE.lock)) await sleep(1);
      for (let pids = usersOf(library); pids.length > 0; pids = usersOf(library)) {
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
        await Promise.all(pids.map(killProcess));
      }
      const undone = playBackwards({ root, trash: join(home, 'trash'), log: readFileSync(log) }, random);
      reset();
      return undone;
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

function isThere(thread: number): boolean {
  try {
    process.kill(thread, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns the processes that have the library in them. */
function usersOf(library: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/maps`, 'utf8').includes(library);
      } catch {
        // It has ended meanwhile, or is another user's.
        return false;
      }
    })
    .map(Number);
}
