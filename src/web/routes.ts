import { handlersOf } from '../actions/handlers.ts';
import { planAction, runAction } from '../actions/run-action.ts';
import { finderIn } from './actions/find-subject.ts';
import type { Routes } from './web-context.ts';
import { openApi } from './api/open-api.tsx';
import { accountPage } from './pages/account.tsx';
import { accountsPage } from './pages/accounts.tsx';
import { auditPages } from './pages/audit.tsx';
import { actionPages } from './pages/action.tsx';
import { approvalsPage } from './pages/approvals.tsx';
import { dropPages } from './pages/drop.tsx';
import { filePages } from './pages/files/list-files.tsx';
import { frontPage } from './pages/front.tsx';
import { keyboardPage } from './pages/keyboard.tsx';
import { exportRoutes } from './lists/export-list.ts';
import { viewRoutes } from './lists/saved-views.tsx';
import { loginPages } from './pages/login.tsx';
import { mePage } from './pages/me.tsx';
import { openIdPages } from './pages/openid.ts';
import { paymentPage } from './pages/payments/show-payment.tsx';
import { paymentsPage } from './pages/payments/list-payments.tsx';
import { peoplePages } from './pages/people.tsx';
import { profilePages } from './pages/profiles/profiles.tsx';
import { provePage } from './pages/prove.tsx';
import { queuePage } from './pages/queue/queue.tsx';
import { selectionPages } from './pages/queue/selections.tsx';
import { reportPage } from './pages/report.tsx';
import { resolvePage } from './pages/resolve.tsx';
import { schedulesPage } from './pages/schedules.tsx';
import { searchPage } from './pages/search.tsx';
import { setUpPages } from './pages/set-up.tsx';

/** Everything that the dashboard answers: one entry per subject. */
export const ROUTES: readonly Routes[] = [
  frontPage,
  queuePage,
  selectionPages,
  loginPages,
  openIdPages,
  setUpPages,
  mePage,
  provePage,
  keyboardPage,
  peoplePages,
  filePages,
  paymentsPage,
  paymentPage,
  exportRoutes,
  viewRoutes,
  searchPage,
  actionPages,
  profilePages,
  approvalsPage,
  resolvePage,
  accountsPage,
  accountPage,
  schedulesPage,
  reportPage,
  auditPages,
  dropPages,
  openApi({
    handlers: handlersOf,
    plan: (context, name, params, input) => planAction(context.app, name, finderIn(context, params), input),
    run: (context, name, params, order) => runAction(context.app, name, finderIn(context, params), order),
  }),
];
