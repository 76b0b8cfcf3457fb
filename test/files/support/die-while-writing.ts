/** Begins an output file and is killed after its first bytes were written. */
import { writeOutput } from '../../../src/files/outputs/write-output.ts';

const [dir = ''] = process.argv.slice(2);
await writeOutput({
  dir,
  name: 'monday__1a2b3c4d.result.csv',
  write: async (out) => {
    await new Promise((resolve) => out.write('Line,Invoice\n', resolve));
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  },
});
