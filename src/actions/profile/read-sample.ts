import { PipelineError } from '../../kernel/errors.ts';
import type { ReadSample } from './compare-sample.ts';

/** @throws PipelineError SAMPLE_UNFIT, because no reader of samples is built in */
export const readSample: ReadSample = async (_profile, _bytes, { folder }) => {
  throw new PipelineError('SAMPLE_UNFIT', `read a sample of folder "${folder.id}"`, 'this release cannot read one yet');
};
