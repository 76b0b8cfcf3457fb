import type { Routes } from './desk.ts';
import { frontPage } from './pages/front.tsx';
import { loginPages } from './pages/login.tsx';
import { openIdPages } from './pages/openid.ts';
import { mePage } from './pages/me.tsx';
import { peoplePages } from './pages/people.tsx';
import { setUpPages } from './pages/set-up.tsx';

/** Every page of the desk: a row for each subject. */
export const ROUTES: readonly Routes[] = [frontPage, loginPages, openIdPages, setUpPages, mePage, peoplePages];
