import { testDamages } from './play-files.ts';

testDamages(2_000);
