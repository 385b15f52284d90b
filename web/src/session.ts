// session.ts - what outlives a reload of the page: the choice and the view; the theme outlives the tab.

import type { Camera } from './camera';
import type { ThemeName } from './colours';

export interface Session {
  selected: number | null;
  camera: Camera | null;
  follow: boolean;
  fitted: boolean; // the view still fits itself to the growing map
  events_seen: number;
}

const SESSION_KEY = 'cairn.session';
const THEME_KEY = 'cairn.theme';

export function load_session(): Session {
  const fresh: Session = { selected: null, camera: null, follow: false, fitted: true, events_seen: 0 };
  try {
    return { ...fresh, ...(JSON.parse(sessionStorage.getItem(SESSION_KEY) ?? '{}') as Partial<Session>) };
  } catch {
    return fresh;
  }
}

export function save_session(session: Session): void {
  try {
    sessionStorage.setItem(SESSION_KEY, JSON.stringify(session));
  } catch {
    // A page that may not store works on without.
  }
}

export function load_theme(): ThemeName {
  try {
    return localStorage.getItem(THEME_KEY) === 'light' ? 'light' : 'dark';
  } catch {
    return 'dark';
  }
}

export function save_theme(theme: ThemeName): void {
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // as above
  }
}
