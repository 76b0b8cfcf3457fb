import { testPages } from './support/test-pages.ts';

/** One of each kind: what nobody is logged in for, many parts, a form, a table. every-page.soak.test.ts has them all. */
testPages(['login', 'file-in-doubt', 'not-received', 'audit']);
