// keys.ts - which key does what. Space stops all, whatever has the focus.

import type { Commands } from './commands';
import type { Driving } from './driving';
import type { HoldButton } from './hold_button';
import type { MapView } from './map_view';

const PAN_PX = 80;
const ZOOM_STEP = 1.35;

export interface KeyUsers {
  view: MapView;
  commands: Commands;
  driving: Driving;
  release: () => HoldButton | null; // whose button R holds down
  toggle_help: () => void;
  close_help: () => boolean; // whether it was open
  toggle_theme: () => void;
  mark_read: () => void;
}

export function listen_to_keys(users: KeyUsers): void {
  const pressed = key_table(users);
  let holding: HoldButton | null = null;

  const down = (event: KeyboardEvent) => {
    if (event.code === 'Space') {
      swallow(event);
      if (!event.repeat) users.commands.stop_all();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
    if (users.driving.key_down(event)) return swallow(event);
    if (event.key.toLowerCase() === 'r') {
      if (!event.repeat) (holding = users.release())?.press();
      return;
    }
    const act = pressed[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (event.repeat && !REPEATING.has(event.key))) return;
    if (event.key.startsWith('Arrow') && !pans(event)) return;
    event.preventDefault();
    act();
  };

  const up = (event: KeyboardEvent) => {
    if (event.code === 'Space') swallow(event);
    if (event.key.toLowerCase() === 'r') holding?.let_go();
    users.driving.key_up(event);
  };

  window.addEventListener('keydown', down, { capture: true });
  window.addEventListener('keyup', up, { capture: true });
  window.addEventListener('blur', () => holding?.let_go());
}

const REPEATING = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', '+', '-', '=']);

// Arrows pan unless they walk through a list.
function pans(event: KeyboardEvent): boolean {
  return !(event.target instanceof Element && event.target.closest('.list'));
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

function key_table({ view, commands, driving, ...users }: KeyUsers): Record<string, () => void> {
  const table: Record<string, () => void> = {
    x: () => commands.stop_selected(),
    n: () => commands.select_next(1),
    b: () => commands.select_next(-1),
    Escape: () => users.close_help() || commands.select(null),
    u: () => commands.mode('autonomous'),
    g: () => commands.mode('waypoint'),
    t: () => commands.mode('teleoperated'),
    '[': () => commands.mode('assisted left'),
    ']': () => commands.mode('assisted right'),
    p: () => commands.mode('paused'),
    i: () => commands.mode('idle'),
    h: () => commands.home(),
    q: () => driving.stronger(-1),
    e: () => driving.stronger(1),
    f: () => view.fit(),
    c: () => commands.toggle_follow(),
    '+': () => view.zoom(ZOOM_STEP),
    '=': () => view.zoom(ZOOM_STEP),
    '-': () => view.zoom(1 / ZOOM_STEP),
    ArrowLeft: () => view.pan(PAN_PX, 0),
    ArrowRight: () => view.pan(-PAN_PX, 0),
    ArrowUp: () => view.pan(0, PAN_PX),
    ArrowDown: () => view.pan(0, -PAN_PX),
    m: () => users.mark_read(),
    l: () => users.toggle_theme(),
    '?': () => users.toggle_help(),
    '0': () => commands.select_nth(9),
  };
  for (let digit = 1; digit <= 9; digit++) table[digit] = () => commands.select_nth(digit - 1);
  return table;
}
