import { AsyncLocalStorage } from 'node:async_hooks';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { devNull } from 'node:os';
import type { Tap } from './tap.ts';

/**
 * Runs work whose changes to files go through a tap. The asynchronous context tells whose call it is, so the sandbox
 * and other instances beside it are untouched.
 */
export async function withTappedFiles<Result>(tap: Tap, work: () => Promise<Result>): Promise<Result> {
  await (installed ??= install());
  return current.run(tap, work);
}

/** Runs work outside the tap of its caller. */
export function withoutTappedFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  return current.exit(work);
}

const current = new AsyncLocalStorage<Tap>();
let installed: Promise<void> | undefined;

/** Calls that change the disk. A death before a call that only reads equals one before the next change. */
const CHANGING = ['mkdir', 'rename', 'link', 'unlink', 'rmdir', 'rm', 'writeFile'] as const;
const CHANGING_HANDLE = ['sync', 'datasync', 'appendFile', 'writeFile'] as const;

type Call = (...parameters: unknown[]) => Promise<unknown>;

async function install(): Promise<void> {
  const calls = files as unknown as Record<string, Call>;
  for (const name of CHANGING) calls[name] = tapped(name, calls[name]!);
  const open = calls['open']!;
  calls['open'] = (...parameters) => {
    const flags = parameters[1];
    return typeof flags === 'string' && flags !== 'r' ? tapped('open', open)(...parameters) : open(...parameters);
  };
  syncBuiltinESMExports();
  const handle = (await open(devNull)) as FileHandle;
  const methods = Object.getPrototypeOf(handle) as Record<string, Call>;
  await handle.close();
  for (const name of CHANGING_HANDLE) methods[name] = tapped(name, methods[name]!);
}

function tapped(name: string, call: Call): Call {
  return function (this: unknown, ...parameters) {
    const tap = current.getStore();
    // Closes a file that no caller gets.
    const approveOrPropose = async (inVain: unknown) => {
      if (name === 'open') await (inVain as FileHandle | undefined)?.close();
    };
    const go = async (extent: 'whole' | 'half') => {
      if (extent === 'whole') return Reflect.apply(call, this, parameters);
      return approveOrPropose(await Reflect.apply(call, this, firstHalf(parameters)));
    };
    const fail = async (inVain: unknown) => {
      await approveOrPropose(inVain);
      return diskError(name);
    };
    return tap ? tap.touch({ kind: 'file', what: name }, go, fail) : go('whole');
  };
}

/** Returns the parameters with the first half of the text or bytes of a write; other calls stay whole. */
function firstHalf(parameters: unknown[]): unknown[] {
  const [text, ...rest] = parameters;
  if (typeof text === 'string' && rest.length === 0) return [text.slice(0, Math.floor(text.length / 2))];
  if (Buffer.isBuffer(text) && rest.length === 0) return [text.subarray(0, Math.floor(text.length / 2))];
  return parameters;
}

function diskError(name: string): Error {
  const grows = ['mkdir', 'link', 'open', 'writeFile', 'appendFile'].includes(name);
  return Object.assign(new Error('the disk failed in the simulation'), { code: grows ? 'ENOSPC' : 'EIO' });
}
