import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type ServiceVerdict, serviceVerdict } from './service-verdict.ts';

/** Returns whether PHP is here with its SOAP client and an XML reader for the answers. No npm package brings one. */
export function phpIsInstalled(): boolean {
  const question = 'exit((int) !(class_exists("SoapClient") && function_exists("simplexml_load_string")));';
  return spawnSync('php', ['-r', question]).status === 0;
}

export function phpVerdict(): ServiceVerdict {
  return serviceVerdict('php with its soap and xml extensions', 'tests of its client', phpIsInstalled());
}

/** Runs a script with JSON as its input, and returns the JSON that it prints. */
export async function runPhp(script: URL, input: unknown): Promise<unknown> {
  const child = spawn('php', ['-d', 'display_errors=stderr', fileURLToPath(script)], { stdio: 'pipe' });
  child.stdin.end(JSON.stringify(input));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0 || errors !== '') throw new Error(`php ended with status ${child.exitCode}: ${errors}`);
  return JSON.parse(output);
}
