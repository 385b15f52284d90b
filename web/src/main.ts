// main.ts - puts the page together: messages change the model, frames draw what changed.

import { apply_change, silence_s, state_from_hello } from './state';
import { Bar } from './bar';
import { Commands } from './commands';
import { Connection } from './connection';
import { by_id, set_attribute } from './dom';
import { Driving } from './driving';
import { ask_to_enter, EnterForm, take_token } from './enter';
import { FrameMeter } from './frames';
import { HoldButton } from './hold_button';
import { listen_to_keys } from './keys';
import { EventList, VictimList } from './lists';
import { MapStore } from './map_store';
import { MapTools } from './map_tools';
import { MapView } from './map_view';
import { CHANGED, empty_model, type Model } from './model';
import { Overriding } from './overriding';
import { Panel } from './panel';
import { listen_to_pointer } from './pointer';
import { read_message, type Hello } from './protocol';
import { Roster } from './roster';
import { load_session, load_theme, save_session, save_theme } from './session';
import { release_action } from './stop';

const TICK_MS = 250; // ages and clocks go on by themselves
const SAVE_MS = 500;
const WORDS_MS = 200;

const model: Model = empty_model();
const meter = new FrameMeter();
let connection: Connection | null = null;
let due = 0;
let frame_asked = false;
let words_at_ms = 0;
let words_timer = 0;
let garbled_count = 0;

function changed(what: number): void {
  due |= what;
  if (frame_asked) return;
  frame_asked = true;
  requestAnimationFrame(() => meter.frame(draw));
}

const commands = new Commands(model, () => connection, changed);
const view = new MapView(model, changed);
const release_all = new HoldButton(by_id('release-all'), () => commands.release_all());
const release_one = new HoldButton(by_id('panel-release'), () => commands.release_selected());
const bar = new Bar(model, commands, release_all);
const roster = new Roster(model, commands);
const panel = new Panel(model, commands, release_one);
const victims = new VictimList(model, (x, y) => view.centre(x, y));
const events = new EventList(model, (x, y) => view.centre(x, y), save);
const tools = new MapTools(model, view, commands);
const driving = new Driving(model, commands, changed);
const overriding = new Overriding(model, commands, changed);

// What the station tells is drawn in two frames, the map first, then the words, and the words not more often than they
// can be read. What the person does is shown at once.
function draw(): void {
  const what = due;
  const now_ms = performance.now();
  due = 0;
  frame_asked = false;
  if (what & CHANGED.map) {
    view.draw(now_ms);
    tools.render();
  }
  if (!(what & CHANGED.text)) return;
  if (what === CHANGED.all || (!(what & CHANGED.map) && now_ms >= words_at_ms)) draw_words(now_ms);
  else draw_words_later(now_ms);
}

function draw_words(now_ms: number): void {
  words_at_ms = now_ms + WORDS_MS;
  bar.render(now_ms);
  roster.render(now_ms);
  panel.render(now_ms);
  overriding.render();
  victims.render();
  events.render();
}

function draw_words_later(now_ms: number): void {
  if (words_timer) return;
  words_timer = window.setTimeout(() => {
    words_timer = 0;
    changed(CHANGED.text);
  }, Math.max(0, words_at_ms - now_ms));
}

function greet(hello: Hello): void {
  model.state = state_from_hello(hello, performance.now());
  model.store = new MapStore(hello.map);
  view.begin();
  changed(CHANGED.all);
}

function text_came(text: string): void {
  const message = read_message(text);
  if (!message) garbled_count++;
  else if (message.type === 'hello') greet(message);
  else if (message.type === 'refused') commands.notice(`Refused: ${message.why}`, 'warn');
  else {
    apply_change(model.state, message, performance.now());
    changed(CHANGED.map | CHANGED.text);
  }
  step_wishes();
}

function tiles_came(bytes: ArrayBuffer): void {
  model.state.heard_ms = performance.now();
  const places = model.store?.store(bytes);
  if (places) view.tiles_came(places);
  else garbled_count++;
}

function step_wishes(): void {
  const now_ms = performance.now();
  commands.step_stop(now_ms);
  commands.settle_sending(now_ms);
}

function connection_changed(): void {
  model.connected = connection?.open ?? false;
  model.retry_at_ms = connection?.retry_at_ms ?? null;
  step_wishes();
  changed(CHANGED.all);
}

function save(): void {
  const { selected, camera, follow, fitted, events_seen } = model;
  save_session({ selected, camera, follow, fitted, events_seen });
}

function restore(): void {
  const session = load_session();
  Object.assign(model, { selected: session.selected, follow: session.follow, fitted: session.fitted });
  model.events_seen = session.events_seen;
  if (session.camera) model.camera = session.camera;
  model.theme = load_theme();
  set_attribute(document.documentElement, 'data-theme', model.theme);
}

function toggle_theme(): void {
  model.theme = model.theme === 'dark' ? 'light' : 'dark';
  save_theme(model.theme);
  set_attribute(document.documentElement, 'data-theme', model.theme);
  view.theme_changed();
  events.theme_changed();
}

const help = by_id<HTMLDialogElement>('help');

function toggle_help(): void {
  if (help.open) help.close();
  else help.show(); // not modal: nothing may stand before the stop button
}

function close_help(): boolean {
  if (!help.open) return false;
  help.close();
  return true;
}

function release_by_key(): HoldButton | null {
  const action = release_action(model.state, model.selected);
  if (action?.do === 'release') return action.robot === undefined ? release_all : release_one;
  commands.notice('Nothing to release');
  return null;
}

restore();
by_id('theme').addEventListener('click', toggle_theme);
by_id('help-open').addEventListener('click', toggle_help);
by_id('help-close').addEventListener('click', toggle_help);
listen_to_pointer(model, view, commands, changed);
listen_to_keys({
  view,
  commands,
  driving,
  release: release_by_key,
  toggle_help,
  close_help,
  toggle_theme,
  mark_read: () => events.mark_read(),
});

const enter = new EnterForm(() => connection?.again());

async function may_not_open(): Promise<boolean> {
  const why = await ask_to_enter(null);
  if (why && !enter.shown) enter.show(why);
  return why !== '';
}

// With the token of the address, where there is one.
async function begin(): Promise<void> {
  const token = take_token();
  if (token !== null) {
    const why = await ask_to_enter(token);
    if (why) enter.show(why);
  }
  const address = new URL('ws', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  address.hash = '';
  connection = new Connection(address.href, {
    text: (text) => meter.between(() => text_came(text)),
    binary: (bytes) => meter.between(() => tiles_came(bytes)),
    changed: connection_changed,
    may_not_open,
  });
}

void begin();
window.setInterval(() => {
  step_wishes();
  if (silence_s(model.state, performance.now()) * 1000 > TICK_MS) changed(CHANGED.map | CHANGED.text);
}, TICK_MS);
window.setInterval(save, SAVE_MS);
window.addEventListener('pagehide', save);
changed(CHANGED.all);

// For measurements and tests; the page itself does not use it.
const inspection = {
  frames: () => meter.figures(),
  reset_frames: () => meter.reset(),
  known_cells: () => model.store?.known_count ?? 0,
  garbled: () => garbled_count,
  selected: () => model.selected,
  camera: () => model.camera,
  robots: () => [...model.state.robots.values()],
  victims: () => [...model.state.victims.values()],
  stop_all: () => model.state.stop_all,
  areas: () => model.state.areas,
  cell_at: (x: number, y: number) => model.store?.at(x, y) ?? 0,
  to_window: (x: number, y: number) => view.to_window(x, y),
};
export type Inspection = typeof inspection;
(window as unknown as { cairn: Inspection }).cairn = inspection;
