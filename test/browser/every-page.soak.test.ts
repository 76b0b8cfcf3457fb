import { pageNames } from './support/furnished-dashboard.ts';
import { testPages } from './support/test-pages.ts';

testPages(pageNames());
