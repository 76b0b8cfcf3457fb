/** Begins an output file and is killed in the middle of it, after its first bytes have reached the disk. */
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
