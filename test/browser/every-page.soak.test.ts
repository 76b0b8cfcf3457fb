import { pageNames } from './support/furnished-desk.ts';
import { testPages } from './support/test-pages.ts';

testPages(pageNames());
