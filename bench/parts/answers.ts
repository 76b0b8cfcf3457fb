import { ORDINARY } from '../files/card-file.ts';
import { runProgram } from '../measure/run-program.ts';
import type { Part } from './part.ts';
import { withInstallation } from './surroundings.ts';

/** Until an answer is recorded, only this process knows it. So it must not wait for the connection of the next call. */
export const answers: Part = {
  name: 'answers',
  about: 'from an answer to the commit that records it, while connections take 300 ms; one round',
  measure: async (bench) => {
    const { calls, connectMs } = bench.plan.answers;
    const { path } = await bench.file({ ...ORDINARY, invalid: 0, rows: calls * BATCH_ROWS });
    const sample = await withInstallation({ serviceUrl: 'http://127.0.0.1:9', batchRows: BATCH_ROWS }, ({ root }) =>
      runProgram(bench.programs.of('programs/answers'), ['--root', root, '--connect', String(connectMs), path]),
    );
    const condition = `connections take ${connectMs} ms`;
    bench.say(`answers: ${condition}, ${calls} calls  99.9 %: ${sample.figures['p999Ms']?.toFixed(1)} ms`);
    return [{ part: 'answers', subject: 'paydrop', condition, rows: calls * BATCH_ROWS, samples: [sample] }];
  },
};

const BATCH_ROWS = 2;
