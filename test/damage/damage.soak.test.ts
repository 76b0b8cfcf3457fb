import { testDamages } from './play-file.ts';

testDamages(2_000);
