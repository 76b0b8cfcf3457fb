#!/usr/bin/env node
import { explainError, runCommandLine } from './cli/run-command-line.ts';
import { outliveReaders } from './cli/process/prepare-process.ts';
import { FEATURES } from './features.ts';

outliveReaders([process.stdout, process.stderr]);
// An unhandled error would end the process with a stack trace. Exiting at once is always safe.
process.on('uncaughtException', (error) => process.exit(explainError(error)));
process.exitCode = await runCommandLine(process.argv.slice(2), FEATURES);
