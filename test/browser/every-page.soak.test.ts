import { pageNames } from './support/furnished-desk.ts';
import { testPages } from './support/test-pages.ts';

/** See some-pages.test.ts. */
testPages(pageNames());
