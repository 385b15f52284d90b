// roster.ts - one row a robot: who, in which mode, how old, on what, how well heard.

import { robot_filled, robot_hue, THEMES } from './colours';
import type { Commands } from './commands';
import { by_id, element, set_attribute, set_class, set_hidden, set_property, set_text } from './dom';
import { mode_name, robot_name, type Model } from './model';
import type { Link, Robot } from './protocol';
import { freshness, picture_age_s, sorted_robots } from './state';
import { age_words, overridden_words, short_mode, stop_words, task_words, trouble_words } from './words';

const BATTERY_LOW = 25;
const BATTERY_EMPTY = 10;
const BARS = 4;
const UNHEARD_LONG = 3; // s; below it is the pace of stamps and echoes

interface Row {
  root: HTMLButtonElement;
  swatch: HTMLElement;
  name: HTMLElement;
  mode: HTMLElement;
  age: HTMLElement;
  alarm: HTMLElement;
  task: HTMLElement;
  battery: HTMLElement;
  bars: HTMLElement;
}

export class Roster {
  private readonly list = by_id('roster-list');
  private readonly empty = by_id('roster-empty');
  private readonly count = by_id('roster-count');
  private rows = new Map<number, Row>();

  constructor(
    private readonly model: Model,
    private readonly commands: Commands,
  ) {}

  render(now_ms: number): void {
    const robots = sorted_robots(this.model.state);
    const expected = this.model.state.hello?.robots.length ?? 0;
    set_text(this.count, expected > robots.length ? `${robots.length} of ${expected} heard` : `${robots.length}`);
    set_hidden(this.empty, robots.length > 0);
    this.match_rows(robots);
    for (const robot of robots) this.fill(this.rows.get(robot.id)!, robot, now_ms);
  }

  private match_rows(robots: Robot[]): void {
    const ids = new Set(robots.map(({ id }) => id));
    for (const [id, row] of this.rows) {
      if (ids.has(id)) continue;
      row.root.remove();
      this.rows.delete(id);
    }
    robots.forEach((robot, i) => {
      if (this.rows.has(robot.id)) return;
      const row = this.make_row(robot.id);
      this.rows.set(robot.id, row);
      this.list.insertBefore(row.root, this.list.children[i] ?? null);
    });
  }

  private make_row(id: number): Row {
    const row: Row = {
      root: element('button', 'robot'),
      swatch: element('span', 'swatch', String(id)),
      name: element('span', 'name'),
      mode: element('span', 'mode'),
      age: element('span', 'age'),
      alarm: element('span', 'alarm'),
      task: element('span', 'task'),
      battery: element('span', 'battery'),
      bars: element('span', 'bars', ...Array.from({ length: BARS }, () => element('i'))),
    };
    row.root.append(
      row.swatch,
      element('span', 'line', row.name, row.mode, row.age),
      element('span', 'line', row.alarm, row.task, row.battery, row.bars),
    );
    row.root.type = 'button';
    row.root.dataset['robot'] = String(id);
    row.root.addEventListener('click', () => this.commands.select(id));
    row.root.addEventListener('keydown', (event) => this.walk(event));
    return row;
  }

  // Up and down go through the rows, as in every list.
  private walk(event: KeyboardEvent): void {
    if (event.shiftKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    event.stopPropagation();
    this.commands.select_next(event.key === 'ArrowDown' ? 1 : -1);
    this.rows.get(this.model.selected ?? -1)?.root.focus();
  }

  private fill(row: Row, robot: Robot, now_ms: number): void {
    const theme = THEMES[this.model.theme];
    const age = picture_age_s(this.model.state, robot, now_ms);
    const fresh = freshness(robot, age);
    const stop = stop_words(robot);
    const task = task_words(robot);
    const name = robot_name(this.model, robot.id);
    const mode = mode_name(this.model, robot.mode);
    set_class(row.root, 'selected', robot.id === this.model.selected);
    set_class(row.root, 'lost', fresh === 'lost');
    set_attribute(row.root, 'aria-pressed', String(robot.id === this.model.selected));
    set_property(row.root, '--hue', robot_hue(theme, robot.id));
    set_class(row.swatch, 'hollow', !robot_filled(theme, robot.id));
    set_text(row.name, name);
    set_text(row.mode, short_mode(mode));
    set_attribute(row.mode, 'data-mode', mode);
    set_hidden(row.mode, stop.startsWith('STOPPED') && mode === 'stopped');
    set_text(row.age, fresh === 'lost' ? `LOST ${age_words(age)}` : age_words(age));
    set_attribute(row.age, 'data-fresh', fresh);
    const trouble = trouble_words(robot);
    const overridden = overridden_words(robot);
    const alarm = stop || overridden || trouble || robot.guards.join(', ');
    set_text(row.alarm, alarm);
    set_hidden(row.alarm, alarm === '');
    set_attribute(row.alarm, 'data-kind', stop.startsWith('STOPPED') ? 'stopped' : stop ? 'stopping' : robot.condition ? 'trouble' : 'guard');
    set_text(row.task, robot.stop.wanted && !robot.task ? '' : task.text);
    set_class(row.task, 'trouble', task.trouble);
    this.fill_battery(row.battery, robot.battery);
    fill_bars(row.bars, robot.link);
    const words = [name, mode, stop, overridden, trouble, task.text, fresh === 'fresh' ? '' : fresh === 'old' ? 'old picture' : 'lost'];
    set_attribute(row.root, 'aria-label', `${robot.id}: ${words.filter(Boolean).join(', ')}`);
  }

  private fill_battery(target: HTMLElement, battery: number | null): void {
    set_text(target, battery === null ? '– %' : `${battery.toFixed(0)} %`);
    const level = battery === null ? 'unknown' : battery <= BATTERY_EMPTY ? 'empty' : battery <= BATTERY_LOW ? 'low' : 'good';
    set_attribute(target, 'data-level', level);
    set_attribute(target, 'title', battery === null ? 'Battery: not known' : `Battery: ${battery.toFixed(0)} %`);
  }
}

function fill_bars(bars: HTMLElement, link: Link): void {
  const passes = link.state === 'connected' && link.quality > 0; // both ways
  const lit = passes ? Math.max(1, Math.ceil(link.quality * BARS - 0.05)) : 0;
  set_attribute(bars, 'data-lit', String(lit));
  set_attribute(bars, 'title', link_words(link));
}

export function link_words(link: Link): string {
  const loss = `${(link.loss * 100).toFixed(0)} % lost`;
  const trip = `${(link.round_trip * 1000).toFixed(0)} ms`;
  const deaf = link.unheard > UNHEARD_LONG ? `; the robot has heard nothing for ${link.unheard.toFixed(0)} s` : '';
  return `Link: ${link.state}, quality ${(link.quality * 100).toFixed(0)} %, ${loss}, ${trip} there and back${deaf}`;
}
