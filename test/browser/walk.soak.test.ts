import { testDay } from './support/desk-day.ts';

testDay({ isWhole: true });
