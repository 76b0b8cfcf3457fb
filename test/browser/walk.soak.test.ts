import { testDay } from './support/dashboard-day.ts';

testDay({ isWhole: true });
