// panel.ts - the chosen robot: what it does, what may be ordered, and the stick.

import { robot_filled, robot_hue, THEMES } from './colours';
import type { Commands } from './commands';
import { by_id, element, set_attribute, set_class, set_hidden, set_property, set_text } from './dom';
import type { HoldButton } from './hold_button';
import { mode_name, robot_name, selected_robot, type Model } from './model';
import type { Robot } from './protocol';
import { freshness, picture_age_s } from './state';
import { link_words } from './roster';
import { age_words, health_words, overridden_words, place_words, signed_degrees, speed_words, stop_words, task_words, trouble_words } from './words';

const MODE_BUTTONS: readonly [mode: string, label: string, key: string][] = [
  ['autonomous', 'Autonomous', 'U'],
  ['waypoint', 'Waypoint', 'G'],
  ['teleoperated', 'Teleoperate', 'T'],
  ['paused', 'Pause', 'P'],
  ['assisted left', 'Assist left', '['],
  ['assisted right', 'Assist right', ']'],
];

const FIGURES = ['task', 'place', 'speed', 'attitude', 'battery', 'match', 'link', 'clock', 'picture'] as const;
type Figure = (typeof FIGURES)[number];

const DRIVE_WORDS = {
  off: '',
  'taking over': 'taking over…',
  driving: 'driving',
  stopped: 'stopped: release first',
  'no picture': 'no picture: not driven',
} as const;

export class Panel {
  private readonly root = by_id('panel');
  private readonly nobody = by_id('panel-nobody');
  private readonly body = by_id('panel-body');
  private readonly swatch = by_id('panel-swatch');
  private readonly name = by_id('panel-name');
  private readonly status = by_id('panel-status');
  private readonly stop = by_id<HTMLButtonElement>('panel-stop');
  private readonly knob = by_id('stick-knob');
  private readonly stick = by_id('stick');
  private readonly stick_words = by_id('stick-words');
  private readonly stick_figures = by_id('stick-figures');
  private readonly home: HTMLButtonElement;
  private readonly modes = new Map<string, HTMLButtonElement>();
  private readonly figures = new Map<Figure, HTMLElement>();

  constructor(
    private readonly model: Model,
    commands: Commands,
    private readonly release: HoldButton,
  ) {
    const buttons = by_id('panel-modes');
    for (const [mode, label, key] of MODE_BUTTONS) {
      const button = order_button(label, key, () => commands.mode(mode));
      this.modes.set(mode, button);
      buttons.append(button);
    }
    const idle = order_button('Idle', 'I', () => commands.mode('idle'));
    this.modes.set('idle', idle);
    this.home = order_button('Home', 'H', () => commands.home());
    buttons.append(idle, this.home);
    this.stop.addEventListener('click', () => commands.stop_selected());
    for (const figure of FIGURES) this.figures.set(figure, by_id(`figure-${figure}`));
  }

  render(now_ms: number): void {
    const robot = selected_robot(this.model);
    set_hidden(this.nobody, robot !== null);
    set_hidden(this.body, robot === null);
    if (robot) this.fill(robot, now_ms);
  }

  private fill(robot: Robot, now_ms: number): void {
    const theme = THEMES[this.model.theme];
    set_property(this.root, '--hue', robot_hue(theme, robot.id));
    set_class(this.swatch, 'hollow', !robot_filled(theme, robot.id));
    set_text(this.swatch, String(robot.id));
    set_text(this.name, robot_name(this.model, robot.id));
    this.fill_status(robot);
    this.fill_modes(robot);
    this.fill_figures(robot, now_ms);
    set_hidden(this.stop, robot.stop.wanted);
    set_hidden(this.release.button, !robot.stop.wanted);
    this.release.button.disabled = this.model.state.stop_all;
    this.fill_stick();
  }

  private fill_status(robot: Robot): void {
    const stop = stop_words(robot);
    const held = robot.guards.filter((guard) => guard !== 'ground'); // that it sees none is a notice, and stays
    const blind = robot.guards.length > held.length ? ' · sees no ground' : '';
    const notice = blind + (robot.areas ? '' : ' · does not keep to the areas yet');
    const advice = robot.condition ? `${robot.condition.name}: ${robot.condition.advice}` : trouble_words(robot);
    const words = stop || overridden_words(robot) || advice || (held.length > 0 ? `guard: ${held.join(', ')}` : mode_name(this.model, robot.mode)) + notice;
    set_text(this.status, words);
    const kind = robot.stop.wanted ? 'stopped' : robot.condition ? 'trouble' : stop || robot.guards.length > 0 ? 'guard' : 'mode';
    set_attribute(this.status, 'data-kind', kind);
  }

  private fill_modes(robot: Robot): void {
    const now = mode_name(this.model, robot.mode);
    this.home.disabled = robot.stop.wanted;
    const ordered = robot.order && !robot.order.taken ? mode_name(this.model, robot.order.mode) : null;
    for (const [mode, button] of this.modes) {
      button.disabled = robot.stop.wanted;
      set_class(button, 'now', mode === now);
      set_class(button, 'ordered', mode === ordered && mode !== now);
      set_attribute(button, 'aria-pressed', String(mode === now));
    }
  }

  private fill_figures(robot: Robot, now_ms: number): void {
    const { link } = robot;
    const age = picture_age_s(this.model.state, robot, now_ms);
    const fresh = freshness(robot, age);
    const task = task_words(robot);
    const clock = link.clock;
    const words: Record<Figure, string> = {
      task: task.text,
      place: place_words(robot.x, robot.y),
      speed: speed_words(robot.speed),
      attitude: `${signed_degrees(robot.roll)}, ${signed_degrees(robot.pitch)}`,
      battery: robot.battery === null ? 'not known' : `${robot.battery.toFixed(0)} %`,
      match: robot.match === null ? 'not known' : `${robot.match.toFixed(0)} %`,
      link: link.state === 'connected' ? `${(link.loss * 100).toFixed(0)} % lost` : link.state,
      clock: clock?.synchronised ? `±${(clock.uncertainty * 1000).toFixed(0)} ms` : 'not set',
      picture: fresh === 'lost' ? `LOST ${age_words(age)}` : `${age_words(age)} old`,
    };
    for (const [figure, target] of this.figures) set_text(target, words[figure]);
    set_attribute(this.figures.get('link')!, 'title', link_words(link));
    set_attribute(this.figures.get('picture')!, 'data-fresh', fresh);
    set_attribute(this.figures.get('place')!, 'data-health', robot.health?.name ?? 'unknown');
    set_attribute(this.figures.get('place')!, 'title', robot.health ? `It knows its place: ${health_words(robot)}` : '');
    set_class(this.figures.get('task')!, 'trouble', task.trouble);
  }

  private fill_stick(): void {
    const { state, sent, strength, gamepad } = this.model.drive;
    const active = state === 'driving' || state === 'taking over';
    set_class(this.stick, 'active', active);
    set_property(this.knob, '--x', String(-sent.turn));
    set_property(this.knob, '--y', String(-sent.forward));
    const how = gamepad ? 'Gamepad: hold a shoulder' : 'Shift + W A S D';
    set_text(this.stick_words, DRIVE_WORDS[state] || how);
    set_attribute(this.stick_words, 'data-state', state);
    const parts = `ahead ${percent(sent.forward)}\nturn ${percent(sent.turn)}`;
    set_text(this.stick_figures, active ? parts : `strength ${(strength * 100).toFixed(0)} %\nQ less, E more`);
  }
}

function percent(part: number): string {
  return `${part < 0 ? '\u2212' : ''}${Math.abs(part * 100).toFixed(0)} %`;
}

function order_button(label: string, key: string, act: () => void): HTMLButtonElement {
  const button = element('button', 'order', element('span', '', label), element('kbd', '', key));
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}
