import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** A thread beside the tests of a process: it ends the process when it was blocked for too long. */
const { beatMs, limitS } = workerData;
let work = 'no test';
// Own ticks are counted, not the time: a machine that slept for an hour blocked nothing.
let silentBeats = 0;

parentPort.on('message', (message) => {
  silentBeats = 0;
  work = message.work ?? work;
});

setInterval(() => {
  silentBeats += 1;
  if (silentBeats * beatMs < limitS * 1_000) return;
  // Anything else that writes needs the blocked process.
  writeSync(2, `\n${work} blocked its process for ${limitS} s, as an endless loop does. The process was ended.\n`);
  process.kill(process.pid, 'SIGKILL');
}, beatMs);
