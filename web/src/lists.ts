// lists.ts - victims and events at the right: newest events first, a click centres the map.

import { robot_hue, THEMES } from './colours';
import { by_id, element, set_attribute, set_class, set_hidden, set_property, set_text } from './dom';
import type { Model } from './model';
import type { StationEvent, Victim } from './protocol';
import { clock_words, place_words } from './words';

const ROWS_MAX = 150;

export class VictimList {
  private readonly list = by_id('victims-list');
  private readonly count = by_id('victims-count');
  private readonly empty = by_id('victims-empty');
  private rows = new Map<number, { root: HTMLButtonElement; place: HTMLElement; sure: HTMLElement; more: HTMLElement }>();

  constructor(
    private readonly model: Model,
    private readonly centre: (x: number, y: number) => void,
  ) {}

  render(): void {
    const { victims } = this.model.state;
    set_text(this.count, String(victims.size));
    set_hidden(this.empty, victims.size > 0);
    for (const [number, row] of this.rows) {
      if (victims.has(number)) continue;
      row.root.remove();
      this.rows.delete(number);
    }
    for (const victim of [...victims.values()].sort((a, b) => a.number - b.number)) this.fill(victim);
  }

  private fill(victim: Victim): void {
    const row = this.rows.get(victim.number) ?? this.make_row(victim.number);
    set_text(row.place, place_words(victim.x, victim.y) + (victim.floor === 0 ? '' : `, floor ${victim.floor}`));
    set_text(row.sure, `${victim.confidence.toFixed(0)} %`);
    set_text(row.more, `${victim.temperature.toFixed(0)} °C, by ${victim.found_by}`);
    const seen = `seen ${victim.sightings}×, last at ${clock_words(victim.last_seen)}`;
    const height = victim.z === undefined ? '' : `${victim.z.toFixed(1)} m above the ground, `;
    const place = `Victim ${victim.number}: ${height}±${victim.deviation.toFixed(1)} m, ${seen}`;
    set_attribute(row.root, 'title', `${place}. Click to centre`);
  }

  private make_row(number: number) {
    const row = {
      root: element('button', 'victim'),
      place: element('span', 'place'),
      sure: element('span', 'sure'),
      more: element('span', 'more'),
    };
    row.root.type = 'button';
    row.root.append(element('span', 'number', String(number)), row.place, row.sure, row.more);
    row.root.addEventListener('click', () => {
      const victim = this.model.state.victims.get(number);
      if (victim) this.centre(victim.x, victim.y);
    });
    this.rows.set(number, row);
    this.list.append(row.root);
    return row;
  }
}

export class EventList {
  private readonly list = by_id('events-list');
  private readonly unread = by_id<HTMLButtonElement>('events-unread');
  private readonly empty = by_id('events-empty');
  private newest = -1; // number of the newest event that has a row
  private shown: StationEvent[] | null = null;

  constructor(
    private readonly model: Model,
    private readonly centre: (x: number, y: number) => void,
    private readonly seen_changed: () => void,
  ) {
    this.unread.addEventListener('click', () => this.mark_read());
  }

  render(): void {
    const { events } = this.model.state;
    if (this.shown !== events) this.begin(events);
    set_hidden(this.empty, events.length > 0);
    if ((events[events.length - 1]?.number ?? -1) === this.newest) return;
    for (const event of events) if (event.number > this.newest) this.add(event);
    while (this.list.children.length > ROWS_MAX) this.list.lastElementChild?.remove();
    this.show_unread();
  }

  // Another station, or the same one anew.
  private begin(events: StationEvent[]): void {
    this.shown = events;
    this.newest = -1;
    this.list.replaceChildren();
    this.show_unread();
  }

  private add(event: StationEvent): void {
    this.newest = event.number;
    const tag = element('span', 'tag', event.robot > 0 ? String(event.robot) : '');
    if (event.robot > 0) set_property(tag, '--hue', robot_hue(THEMES[this.model.theme], event.robot));
    const row = element('button', 'event', element('span', 'time', clock_words(event.t)), tag, element('span', 'text', event.text));
    row.type = 'button';
    row.dataset['level'] = event.level;
    row.dataset['number'] = String(event.number);
    row.addEventListener('click', () => this.go_to(event));
    this.list.prepend(row);
  }

  theme_changed(): void {
    this.begin(this.model.state.events);
  }

  private go_to(event: StationEvent): void {
    const robot = this.model.state.robots.get(event.robot);
    if (robot) this.centre(robot.x, robot.y);
    this.mark_read(event.number);
  }

  mark_read(up_to = this.newest): void {
    this.model.events_seen = Math.max(this.model.events_seen, up_to);
    this.seen_changed();
    this.show_unread();
  }

  private show_unread(): void {
    if (this.model.events_seen > this.newest && this.newest >= 0) this.model.events_seen = 0; // a station begun anew
    let count = 0;
    for (const row of this.list.children as HTMLCollectionOf<HTMLElement>) {
      const unread = Number(row.dataset['number']) > this.model.events_seen && row.dataset['level'] !== 'info';
      set_class(row, 'unread', unread);
      if (unread) count++;
    }
    set_hidden(this.unread, count === 0);
    set_text(this.unread, `${count} unread – mark read`);
  }
}
